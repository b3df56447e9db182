"""Sites, facts and the plan that moves a pin."""

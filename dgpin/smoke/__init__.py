"""Is this build sound on this GPU? A short list of kernels against plain references."""

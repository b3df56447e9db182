"""Results become text, JSON, Markdown and annotations."""

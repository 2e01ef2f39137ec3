"""What the engines answer."""

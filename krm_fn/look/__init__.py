"""What the commands share that only look and change nothing: what may be shown, and how it fits on a screen."""

"""The forms that commands share, and what may be shown of Secrets."""

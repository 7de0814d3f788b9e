"""How what was found is said: what may be shown of Secrets, and forms that several commands share."""

"""The functionConfig: read it, build Settings from it, explain what is wrong."""

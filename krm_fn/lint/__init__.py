"""What is wrong and no edit can mend: one idea a file, put together in `warn`."""

"""What happens, one verb a file. Stages look at nodes and return what is to change."""

"""The program that makes ownership mirror use, run by the Job that the function emits."""

"""What others do, as rows of literals: nothing here runs, and no module of it imports another."""

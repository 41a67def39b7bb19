"""How fast training is on this machine: against its arithmetic limit, and beside other libraries."""

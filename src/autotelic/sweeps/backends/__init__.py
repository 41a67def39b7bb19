"""Where the runs of a sweep are computed: one file a place."""

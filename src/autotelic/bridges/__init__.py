"""For those who stay with their own trainer: selectors choose the goals of other libraries."""

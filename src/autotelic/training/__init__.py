"""PRACTISE: many learners as one population, kept on disk so that any run can go on."""

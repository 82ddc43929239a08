"""mathdsl in a notebook: the magics, what they show, and what cells know of one another."""

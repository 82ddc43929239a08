"""Headers and `where` tables: from written declarations to symbols, sizes and submodules."""

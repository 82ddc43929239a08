"""Headers and `where` tables: from written declarations to symbols, sizes and submodules."""

from mathdsl.elaborate.declarations.inputs import declare_inputs
from mathdsl.elaborate.declarations.owned import declare_owned, declare_settings
from mathdsl.elaborate.declarations.rows import declare_rest
from mathdsl.elaborate.declarations.tables import Table, read_table

__all__ = ["Table", "declare_inputs", "declare_owned", "declare_rest", "declare_settings", "read_table"]

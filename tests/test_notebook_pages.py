"""A notebook, executed by a kernel and made into a page and into LaTeX: what a reader of either sees."""

from __future__ import annotations

import re
from functools import cache

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter, LatexExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

# The topic classifier of a notebook that was written for another compiler: only the first line of each cell is ours.
RNN = r"""%%mathdsl
\Module {RNN} {S ; W_h, W_x, D, b, h_0}
L \gets |S| \Comment{how many words}\\
\bar{S} \gets \{ 0 \}^{1} || S \Comment{a padding word first}\\
x \gets \{D(s); s \in \bar{S} \} \Comment{their vectors} \\
h[0 \leq t \leq L] \gets \begin{cases}
h_0 & t = 0 \\
\tanh(W_h @ h[t-1] + W_x @ x[t] + b) & t \leq L
\end{cases} \\
\Return h[L] \\
\EndModule
"""
GATE = r"""%%mathdsl
\Module {T} {x, h ; W_x, W_h, b}
\Return W_h @ h + W_x @ x + b \\
\EndModule
"""
LSTM = r"""%%mathdsl --annotate shapes --annotate code
\sigma \gets \Sigmoid \\
\Module {LSTM} {\{S\}^L ; T_s, Linear, D, c_0, h_0}
\bar{S} \gets \{ 0 \}^{1} || S \\
(T_f, T_i, T_o, T_c) \gets T_s \\
x \gets \{D(s); s \in \bar{S} \} \\
\begin{group}
f[1 \leq t \leq L] \gets \sigma(T_f(x[t], h[t - 1])) \\
i[1 \leq t \leq L] \gets \sigma(T_i(x[t], h[t - 1])) \\
o[1 \leq t \leq L] \gets \sigma(T_o(x[t], h[t - 1])) \\
\tilde{c}[1 \leq t \leq L] \gets \tanh(T_c(x[t], h[t - 1])) \\
c[0 \leq t \leq L] \gets \begin{cases}
c_0 & t = 0 \\
f[t] * c[t - 1] + i[t] * \tilde{c}[t] & otherwise \\
\end{cases} \\
h[0 \leq t \leq L] \gets \begin{cases}
h_0 & t = 0 \\
o[t] * \tanh (c[t]) & otherwise
\end{cases} \\
\end{group} \\
\hat{y} \gets Linear(h[L]) \\
\Return \hat{y} \\
\EndModule
loss(\hat{y}, y) \gets \CrossEntropy(\hat{y}, y) \\
"""
TRAIN = """\
gates = torch.nn.ModuleList(T(d_x=3, d_h=4, d_W_x=4) for _ in range(4))
model = LSTM(d_c=4, T_s=gates, Linear=torch.nn.Linear(4, 2), D=torch.nn.Embedding(9, 3))
words, topics = torch.randint(1, 9, (8, 5)), torch.randint(2, (8,))
optimizer = torch.optim.Adam(model.parameters(), 0.05)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    value = loss(model(words), topics).mean()
    value.backward()
    optimizer.step()
    losses.append(value.item())
assert losses[-1] < losses[0]
"""
MISTAKE = r"""%%mathdsl
\Module{Bad}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{m \times k}}
\Return W x \Comment{$$\int$$ <script>alert(1)</script>} \\
\EndModule
"""


@cache
def executed() -> NotebookNode:
    """The notebook with its outputs."""
    sources = ["%load_ext mathdsl\nimport torch\ntorch.manual_seed(0)", RNN, GATE, LSTM, TRAIN, "model", MISTAKE]
    notebook = new_notebook(cells=[new_code_cell(source, id=f"cell-{number}") for number, source in enumerate(sources)])
    NotebookClient(notebook, kernel_name="python3", timeout=300, allow_errors=True).execute()
    nbformat.validate(notebook)
    return notebook


def outputs(number: int) -> list[NotebookNode]:
    return executed().cells[number].outputs


def page() -> str:
    """The page of the outputs alone: what stands around them is not ours."""
    whole, _ = HTMLExporter().from_notebook_node(executed())
    return re.sub(r"<head>.*?</head>", "", whole, flags=re.DOTALL)


def test_cells_of_another_notebook_run_with_another_first_line() -> None:
    assert [output.output_type for number in range(1, 6) for output in outputs(number)] == [*["display_data"] * 3, "execute_result"]


def test_front_ends_get_each_format_that_they_set() -> None:
    for number in (1, 2, 3):
        data = outputs(number)[0].data
        assert data["text/html"].count("<math") > 3
        assert data["text/latex"].startswith("$$")
        assert data["text/latex"].rstrip().endswith("$$")
        assert data["text/latex"].count("$") == 4, "one formula, in the delimiters that every front end knows"
    assert "<strong>" in outputs(5)[0].data["text/html"]


def test_a_cell_with_a_mistake_fails_with_one_line_below_the_drawing() -> None:
    drawn, failure = outputs(6)
    assert "mathdsl-findings" in drawn.data["text/html"]
    assert failure.output_type == "error"
    assert len(failure.traceback) == 1
    assert re.search(r"Cell In\[\d+\], line 3", failure.traceback[0])


def test_a_page_keeps_the_mathematics_the_tables_and_the_mistakes() -> None:
    text = page()
    assert text.count("<math") > 30
    assert text.count("Parameters</caption>") == 3
    assert "inner sizes" in text
    assert "Generated code of LSTM" in text


def test_a_page_has_no_script_and_no_address_of_ours() -> None:
    shown = "".join(output.data["text/html"] for number in range(1, 7) for output in outputs(number) if "data" in output)
    assert "<script" not in shown
    assert not re.search(r"""(?:https?:)?//[a-z]|@import|url\(|<link|<img|\son[a-z]+=""", shown)


def test_no_two_outputs_share_an_identifier() -> None:
    shown = [output.data["text/html"] for number in range(1, 6) for output in outputs(number)]
    found = [name for html in shown for name in set(re.findall(r'\bid="([^"]*)"', html))]
    assert found
    assert len(found) == len(set(found))


def test_latex_gets_formulas() -> None:
    text, _ = LatexExporter().from_notebook_node(executed())
    assert r"\textbf{module}\ \mathrm{RNN}" in text
    assert "<math" not in text


def test_every_rule_of_style_is_scoped() -> None:
    for number in (1, 3, 5, 6):
        for style in re.findall(r"<style>(.*?)</style>", outputs(number)[0].data["text/html"], re.DOTALL):
            plain = re.sub(r"\([^()]*\)", "", re.sub(r"@media[^{]*\{|@supports[^{]*\{", "", style))
            selectors = [one for rule in re.findall(r"([^{}]+)\{", plain) for one in rule.split(",")]
            assert all(".mathdsl-" in selector for selector in selectors), [one for one in selectors if ".mathdsl-" not in one]


def test_letters_are_as_large_as_the_page_has_them() -> None:
    """The root's letters, of which `rem` is the size, are small on the pages of the classic notebook, and those of its cells are not."""
    styles = "".join(re.findall(r"<style>(.*?)</style>", "".join(o.data["text/html"] for o in outputs(3) + outputs(5)), re.DOTALL))
    assert "font-size" in styles
    assert not re.findall(r"(?:font|font-size|(?:max-|min-)?width) *:[^;}]*\drem\b", styles)

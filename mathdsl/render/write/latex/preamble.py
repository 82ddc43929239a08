r"""What stands before `\begin{document}`: standard packages, and the few commands that set programs and their tables."""

from __future__ import annotations

PACKAGES = r"""\usepackage[margin=1in]{geometry}
\usepackage{amsmath,amssymb}
\usepackage{graphicx,longtable}
\usepackage[hidelinks]{hyperref}
\setlength{\emergencystretch}{3em}
"""

ADDED_PACKAGES = r"""\usepackage{amsmath,graphicx}
\makeatletter\@ifundefined{mathbb}{\usepackage{amssymb}}{}\makeatother
"""
"""For a document that has packages of its own, some of which define what `amssymb` does."""

MARGINS = "mathdsl margins:"
"""What a log says before the widths of the right and the lower margin."""

COMMANDS = (
    rf"""\AtBeginDocument{{\ifdefined\paperwidth\wlog{{{MARGINS}
  \the\dimexpr\paperwidth-\hoffset-1in-\oddsidemargin-\textwidth\relax\space
  \the\dimexpr\paperheight-\voffset-1in-\topmargin-\headheight-\headsep-\textheight\relax}}\fi}}
"""
    + r"""% ---- programs: numbered lines between rules, which may break over pages
\makeatletter
\newdimen\mdslindent\setlength{\mdslindent}{1.5em}
\newdimen\mdsltarget
\newdimen\mdslroom
\newcommand{\mdslbreak}{\penalty600\relax}
\newcounter{mdslalgorithm}
\newcommand{\mdslalgorithm}{\refstepcounter{mdslalgorithm}\textbf{Algorithm \themdslalgorithm}}
% \mdsltogether{part of a page that has to be left, else a new page begins}
\newcommand{\mdsltogether}[1]{\vskip0pt plus#1\textheight\penalty-300\vskip0pt plus-#1\textheight\relax}
\newenvironment{mdsllines}{%
  \par\setlength{\parindent}{0pt}\setlength{\parskip}{0pt}\setlength{\mdsltarget}{0pt}%
  \lineskiplimit=2pt\lineskip=2pt\tolerance=4000\hbadness=4000\relpenalty=300\binoppenalty=500\interlinepenalty=300
}{\par}
\newenvironment{mdsldefinitions}{\par\addvspace{\medskipamount}\begin{mdsllines}}{\end{mdsllines}\addvspace{\medskipamount}}
\newenvironment{mdslprogram}[1]{%
  \par\mdsltogether{.15}\addvspace{\bigskipamount}\begin{mdsllines}%
  \mdslrule{0.8pt}\nobreak\vskip 3pt\mdslhang{0pt}{#1}\nobreak\vskip 3pt\mdslrule{0.4pt}\nobreak\vskip 4pt
}{\par\nobreak\vskip 4pt\mdslrule{0.8pt}\end{mdsllines}\addvspace{\bigskipamount}}
% an algorithm of the package of that name in its place, which may break over pages
\newenvironment{mdslfloat}{%
  \par\mdsltogether{.15}\addvspace{\bigskipamount}\def\@captype{algorithm}\let\caption\mdslcaption
  \parindent=0pt\mdslrule{0.8pt}\nobreak\vskip 3pt
}{\par\nobreak\vskip 4pt\mdslrule{0.8pt}\addvspace{\bigskipamount}}
\NewDocumentCommand{\mdslcaption}{s o m}{\par
  \IfBooleanTF{#1}{\mdslhang{0pt}{#3}}{%
    \refstepcounter{algorithm}%
    \addcontentsline{\@nameuse{ext@algorithm}}{algorithm}{\protect\numberline{\thealgorithm}\ignorespaces\IfNoValueTF{#2}{#3}{#2}}%
    \mdslhang{0pt}{\textbf{\@nameuse{fname@algorithm} \thealgorithm} #3}}%
  \nobreak\vskip 3pt\mdslrule{0.4pt}\nobreak\vskip 4pt}
\newcommand{\mdslrule}[1]{\par\nointerlineskip\moveright\@totalleftmargin\hbox{\vrule height#1 width\linewidth}\nointerlineskip}
% \mdslhang{where its lines after the first begin}{text}
\newcommand{\mdslhang}[2]{{\leftskip=\dimexpr#1+1.5em\relax\rightskip=0pt plus 5em\noindent\hskip-1.5em\strut #2\strut\par}}
% \mdslline{number}{depth}{text}{right}
\newcommand{\mdslline}[4]{\mdslhang{\dimexpr1.8em+#2\mdslindent}{\llap{#1\hskip\dimexpr0.6em+#2\mdslindent\relax}#3#4}}
\newcommand{\mdslstep}[1]{\mdslanchor{#1}{\footnotesize #1:}}
% \mdslreturn{depth}{text}{right}
\newcommand{\mdslreturn}[3]{{\rightskip=3em plus 5em\leftskip=\dimexpr3em+#1\mdslindent\relax\noindent\hskip-2em\strut #2#3\strut\par}}
% \mdsldefine{depth}{target}{arrow}{value}{right}; \mdslmeasure{target} before it makes room for that target
\newcommand{\mdslmeasure}[1]{\settowidth{\mdslroom}{#1}\ifdim\mdslroom>\mdsltarget\mdsltarget=\mdslroom\fi}
\newcommand{\mdsldefine}[5]{{%
  \rightskip=3em plus 5em\settowidth{\mdslroom}{#2}%
  \ifdim\mdslroom>\mdsltarget
    \leftskip=\dimexpr3em+#1\mdslindent\relax\noindent\hskip-2em\strut #2\ #3\ %
  \else
    \leftskip=\dimexpr3em+#1\mdslindent+\mdsltarget\relax
    \noindent\llap{#2\makebox[2em]{#3}}\strut
  \fi
  #4#5\strut\par}}
\newcommand{\mdslright}[1]{\unskip\nobreak\hfil\penalty50\hskip1.5em\null\nobreak\hfil #1\parfillskip=0pt\relax}
\newcommand{\mdslcomment}[1]{{\small$\triangleright$~#1}}
\newcommand{\mdslnumber}[1]{\parfillskip=0pt\nobreak\rlap{\makebox[3em][r]{#1}}}
\newcommand{\mdslequation}{\refstepcounter{equation}\mdslnumber{(\theequation)}}
\newcommand{\mdsltag}[2]{\mdslanchor{#1}{}\mdslnumber{#2}}
\newcommand{\mdsldeleted}[1]{\leavevmode\sbox0{#1}\rlap{\rule[.5ex]{\wd0}{.4pt}}\usebox0{}}
\providecommand{\phantomsection}{}
\newcommand{\mdslanchor}[2]{\phantomsection\protected@edef\@currentlabel{#1}#2}
\newcommand{\mdslfit}[1]{\sbox0{#1}\ifdim\wd0>\dimexpr\linewidth-\leftskip-\rightskip\relax
  \resizebox{\dimexpr\linewidth-\leftskip-\rightskip\relax}{!}{\usebox0}\else\usebox0\fi}
% ---- text as it stands, and letters that the oldest fonts lack
\ProvideTextCommandDefault{\k}[1]{\leavevmode\sbox0{#1}\rlap{\copy0}\hbox to\wd0{\hfil\scalebox{-1}[1]{\char24}\kern.05em}}
% \mdslchar{code}: engines that know more characters than the oldest fonts ask the font
\DeclareRobustCommand{\mdslchar}[1]{[U+#1]}
\ifdefined\Umathcode\DeclareRobustCommand{\mdslchar}[1]{\iffontchar\font"#1 \char"#1 \else[U+#1]\fi}\fi
\newcommand{\mdslstroke}{\leavevmode\rlap{\kern.18em\raise.25ex\hbox{-}}d}
\newcommand{\mdslStroke}{\leavevmode\rlap{\kern.02em\raise.05ex\hbox{-}}D}
\newenvironment{mdslverbatim}{\par\addvspace{\medskipamount}\begingroup\small\ttfamily\setlength{\parindent}{0pt}\setlength{\parskip}{0pt}%
  \raggedright}{\par\endgroup\addvspace{\medskipamount}}
\newcommand{\mdslcode}[1]{\noindent\strut #1\par}
% ---- tables of symbols: columns as wide as what they hold, as long as words keep two fifths of the line
\newdimen\mdslfirst\newdimen\mdslsecond\newdimen\mdslthird\newdimen\mdslfourth
\newdimen\mdslstop\newdimen\mdslat
\newsavebox{\mdsltop}\newsavebox{\mdslheld}
% \mdsltables{tables that have the same columns}
\newcommand{\mdsltables}[1]{\par\begingroup\small\setlength{\parindent}{0pt}\setlength{\parskip}{1.5pt}\lineskip=0pt
  \renewcommand{\footnote}[1]{ (##1)}\mdslcolumns{#1}\removelastskip#1\endgroup\addvspace{\bigskipamount}}
% \mdslwiden{length}{text}: the length becomes that of the text, if it is longer and there is room for it
\newcommand{\mdslwiden}[2]{\sbox0{#2}\ifdim\wd0>#1\relax\ifdim\wd0>\mdslroom\else#1=\wd0\relax\fi\fi}
% where the columns do not fit, cells wider than the part of the line that is left for their column may stick out of it
\newcommand{\mdslcolumns}[1]{%
  \let\mdsltable\mdslmeasuretable\let\mdslsplit\relax\let\mdslbelow\@gobble\mdslroom=\maxdimen
  \def\mdslrow##1##2##3##4{\mdslwiden\mdslfirst{##1}\mdslwiden\mdslsecond{##2}\mdslwiden\mdslthird{##3}\mdslwiden\mdslfourth{##4}}#1%
  \ifdim\mdslfourth>.42\linewidth\mdslfourth=.42\linewidth\fi
  \mdslroom=\dimexpr\linewidth-\mdslfourth-3em\relax
  \ifdim\dimexpr\mdslfirst+\mdslsecond+\mdslthird>\mdslroom
    \mdslfourth=\mdslroom
    \mdslfirst=0pt\mdslroom=.3\mdslfourth\def\mdslrow##1##2##3##4{\mdslwiden\mdslfirst{##1}}#1%
    \mdslsecond=0pt\mdslroom=.5\dimexpr\mdslfourth-\mdslfirst\relax\def\mdslrow##1##2##3##4{\mdslwiden\mdslsecond{##2}}#1%
    \mdslthird=0pt\mdslroom=\dimexpr\mdslfourth-\mdslfirst-\mdslsecond\relax\def\mdslrow##1##2##3##4{\mdslwiden\mdslthird{##3}}#1%
  \fi
  \let\mdsltable\mdslsettable\let\mdslsplit\mdslsetsplit\let\mdslrow\mdslsetrow\let\mdslbelow\mdslsetbelow}
\newcommand{\mdslmeasuretable}[3]{\mdslstop=\mdslroom\mdslroom=\maxdimen\mdslrow#2\mdslroom=\mdslstop#3}
% \mdslcell{width of its column}{text}: it stands at its column, where it may have several lines if they are not too short;
% where another cell sticks out, behind that on one line; otherwise on a line below
\newcommand{\mdslcell}[2]{\sbox0{#2}%
  \ifdim\wd0=0pt\else
    \mdslroom=\wd0
    \ifdim\mdslat>0pt\hskip.5em\advance\mdslat.5em\relax\fi
    \ifdim\mdslat>\mdslstop\else
      \hskip\dimexpr\mdslstop-\mdslat\relax\mdslat=\mdslstop
      \ifdim\mdslroom>8em\mdslroom=8em\relax\fi
    \fi
    \ifdim\dimexpr\linewidth-\mdslat<\mdslroom\ifdim\mdslat>0pt
      \par\noindent\mdslat=\dimexpr\mdslfirst+1em\relax\hskip\mdslat
    \fi\fi
    \ifdim\dimexpr\mdslat+\wd0>\linewidth
      \parbox[t]{\dimexpr\linewidth-\mdslat\relax}{\raggedright\hbadness=10000\strut#2\strut}\mdslat=\linewidth
    \else
      \advance\mdslat\wd0\relax\strut\box0
    \fi
  \fi
  \ifdim#1=0pt\else\mdslstop=\dimexpr\mdslstop+#1+1em\relax\fi}
\newcommand{\mdslcells}[4]{\par\noindent\mdslat=0pt\mdslstop=0pt
  \mdslcell\mdslfirst{#1}\mdslcell\mdslsecond{#2}\mdslcell\mdslthird{#3}\mdslcell\mdslfourth{#4}\par}
\newcommand{\mdslhold}[2]{\sbox#1{\parbox[b]{\linewidth}{\parskip=1.5pt\lineskip=0pt\relax#2}}}
% \mdslsplit: what is held is set; where the page has no room for it, on the next page, below the head again
\newcommand{\mdslsetsplit}{%
  \ifvoid\mdslheld\else\mdslsetheld\fi}
\newcommand{\mdslsetheld}{%
  \ifinner\else\if@nobreak\else
    \ifdim\dimexpr\pagegoal-\pagetotal<\dimexpr\ht\mdsltop+\dp\mdsltop+\ht\mdslheld+\dp\mdslheld+2pt\relax
      \newpage\ifvoid\mdsltop\mdslhead{ (continued)}\fi
    \fi
  \fi\fi
  \ifvoid\mdsltop\else\noindent\box\mdsltop\par\nobreak\nointerlineskip\fi
  \noindent\box\mdslheld\par}
\newcommand{\mdslsetrow}[4]{\mdslhold\mdslheld{\ifvoid\mdslheld\else\box\mdslheld\par\fi\mdslcells{#1}{#2}{#3}{#4}}}
% \mdslbelow{words of a row that are too many for a cell}
\newcommand{\mdslsetbelow}[1]{\mdslsplit
  {\leftskip=\dimexpr\mdslfirst+1em\relax\rightskip=0pt plus 3em\tolerance=4000\hbadness=4000\noindent\strut#1\strut\par}}
% \mdsltable{title}{cells of its head}{rows}
\newcommand{\mdslsettable}[3]{\par\vskip\medskipamount
  \def\mdslhead##1{\mdslhold\mdsltop{\textbf{#1}##1\strut\par
    \vskip1pt\hrule height0.8pt\vskip1pt\mdslcells#2\vskip2pt\hrule height0.4pt\vskip1pt}}%
  \mdslhead{}#3\mdslhold\mdslheld{\box\mdslheld\par\vskip3pt\hrule height0.8pt width\linewidth}\mdslsplit}
\makeatother
"""
)

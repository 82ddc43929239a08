r"""What stands before `\begin{document}`: standard packages, and the few commands that set programs and their tables."""

from __future__ import annotations

PACKAGES = r"""\usepackage[margin=1in]{geometry}
\usepackage{amsmath,amssymb}
\usepackage{graphicx}
\usepackage[hidelinks]{hyperref}
"""

ADDED_PACKAGES = r"""\usepackage{amsmath,graphicx}
\makeatletter\@ifundefined{mathbb}{\usepackage{amssymb}}{}\makeatother
"""
"""For a document that has packages of its own, some of which define what `amssymb` does."""

COMMANDS = r"""% ---- programs: numbered lines between rules, which may break over pages
\makeatletter
\newlength{\mdslindent}\setlength{\mdslindent}{1.5em}
\newlength{\mdsltarget}
\newlength{\mdslroom}
\newcommand{\mdslbreak}{\penalty600\relax}
\newcounter{mdslalgorithm}
\newcommand{\mdslalgorithm}{\refstepcounter{mdslalgorithm}\textbf{Algorithm \themdslalgorithm}}
% \mdsltogether{part of a page that has to be left, else a new page begins}
\newcommand{\mdsltogether}[1]{\vskip0pt plus#1\textheight\penalty-300\vskip0pt plus-#1\textheight\relax}
\newenvironment{mdsllines}{%
  \par\setlength{\parindent}{0pt}\setlength{\parskip}{0pt}\setlength{\mdsltarget}{0pt}%
  \lineskiplimit=2pt\lineskip=4pt\tolerance=4000\hbadness=4000\relpenalty=300\binoppenalty=500\interlinepenalty=300
}{\par}
\newenvironment{mdsldefinitions}{\par\addvspace{\medskipamount}\begin{mdsllines}}{\end{mdsllines}\addvspace{\medskipamount}}
\newenvironment{mdslprogram}[1]{%
  \par\mdsltogether{.15}\addvspace{\bigskipamount}\begin{mdsllines}%
  \hrule height 0.8pt\nobreak\vskip 3pt\mdslhang{0pt}{#1}\nobreak\vskip 3pt\hrule height 0.4pt\nobreak\vskip 4pt
}{\par\nobreak\vskip 4pt\hrule height 0.8pt\end{mdsllines}\addvspace{\bigskipamount}}
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
\providecommand{\phantomsection}{}
\newcommand{\mdslanchor}[2]{\phantomsection\protected@edef\@currentlabel{#1}#2}
\newcommand{\mdslfit}[1]{\sbox0{#1}\ifdim\wd0>\dimexpr\linewidth-\leftskip-\rightskip\relax
  \resizebox{\dimexpr\linewidth-\leftskip-\rightskip\relax}{!}{\usebox0}\else\usebox0\fi}
% ---- text as it stands
\newenvironment{mdslverbatim}{\par\addvspace{\medskipamount}\begingroup\small\ttfamily\setlength{\parindent}{0pt}\setlength{\parskip}{0pt}%
  \raggedright}{\par\endgroup\addvspace{\medskipamount}}
\newcommand{\mdslcode}[1]{\noindent\strut #1\par}
% ---- tables of symbols: rows of four cells, which may break over pages
\newlength{\mdslfirst}\newlength{\mdslsecond}\newlength{\mdslthird}\newlength{\mdslfourth}
\newenvironment{mdsltable}[4]{%
  \par\mdsltogether{.1}\addvspace{\bigskipamount}\begingroup\small\setlength{\parindent}{0pt}\setlength{\parskip}{1.5pt}%
  \mdslfirst=#2\linewidth \mdslsecond=#3\linewidth \mdslthird=#4\linewidth
  \mdslfourth=\dimexpr\linewidth-\mdslfirst-\mdslsecond-\mdslthird-3em\relax
  \textbf{#1}\strut\par\nobreak\vskip 1pt\hrule height 0.8pt\nobreak\vskip 2pt
}{\par\nobreak\vskip 3pt\hrule height 0.8pt\endgroup\addvspace{\bigskipamount}}
\newcommand{\mdslcell}[2]{\parbox[t]{#1}{\raggedright\hbadness=10000\strut #2\strut}}
\newcommand{\mdslrow}[4]{\noindent
  \mdslcell{\mdslfirst}{#1}\hskip1em\mdslcell{\mdslsecond}{#2}\hskip1em\mdslcell{\mdslthird}{#3}\hskip1em\mdslcell{\mdslfourth}{#4}\par}
\newcommand{\mdslhead}[4]{\mdslrow{#1}{#2}{#3}{#4}\nobreak\vskip 2pt\hrule height 0.4pt\nobreak\vskip 2pt}
\makeatother
"""

//! Standings and tie-breaks: the worked examples of the sources, what other programs computed, and what must hold of
//! every section.

mod bad_input;
mod charts;
mod clubs;
mod fide_oracle;
mod oracles;
mod properties;
mod support;
mod tables;
mod worked_examples;

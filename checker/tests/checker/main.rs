//! The checker from outside: what it accepts, what it rejects, and how it says so.

mod alterations;
mod expectations;
mod forgeries;
mod limits;
mod reports;
mod samples;
mod solver;
mod structure;
mod support;

//! How far a store is with what takes minutes where it is large, on standard error.

use std::cell::RefCell;

use outflank_coordinator::store::{Doing, Far};

use crate::output;
use crate::progress::{Form, bar};

/// Returns what shows how far a store is; it shows nothing if `quiet`.
pub(super) fn shown(quiet: bool) -> impl Fn(Far) {
    let shown = RefCell::new(Shown { quiet, form: None, doing: None });
    move |far| shown.borrow_mut().show(far)
}

struct Shown {
    quiet: bool,
    /// None before there is something to show, and where a bar was taken away.
    form: Option<Form>,
    /// What the bar is about.
    doing: Option<Doing>,
}

impl Shown {
    fn show(&mut self, far: Far) {
        let is_other = self.doing != Some(far.doing);
        // What is said next must not stand behind a bar that is full.
        if (is_other || far.done == far.of) && matches!(self.form, Some(Form::Bar(_))) {
            self.form = None;
        }
        self.doing = (far.done < far.of).then_some(far.doing);
        if self.doing.is_none() {
            return;
        }
        let quiet = self.quiet;
        let form = self.form.get_or_insert_with(|| {
            let template = "{msg} {bar:24} {percent} %, {eta} left";
            Form::new(quiet, || bar(far.of, template).with_message(far.doing.text()))
        });
        if let Form::Bar(bar) = form {
            bar.set_position(far.done);
        } else if form.is_line_due() {
            output::note(&line(far));
        }
    }
}

fn line(far: Far) -> String {
    format!("{}: {} %", far.doing.text(), u128::from(far.done) * 100 / u128::from(far.of.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_done_and_which_part_of_it() {
        let far = |done, of| Far { doing: Doing::ReadingLog, done, of };
        assert_eq!(line(far(999, 1000)), "reading the log: 99 %");
        assert_eq!(line(far(u64::MAX, u64::MAX)), "reading the log: 100 %");
    }
}

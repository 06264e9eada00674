//! Lines of lists for campaigns, in each of the four forms: a row that is written and read again asks the same.

#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use outflank_coordinator::campaign::{Answer, Defaults, Row, RowState, format_row, read_row};
use outflank_engine::Bound;
use outflank_proto::campaign::Form;

fuzz_target!(|line: &str| {
    if line.contains('\n') {
        return;
    }
    for form in [Form::Tasks, Form::Knowledge, Form::Obf, Form::Json] {
        match read_row(form, line, Defaults::default()) {
            Ok(Some(row)) => check(form, &row),
            Ok(None) => {}
            Err(fault) => {
                assert!((1..=line.chars().count() + 1).contains(&fault.column), "{fault:?}");
                assert!(!fault.reason.is_empty());
            }
        }
    }
});

fn check(form: Form, row: &Row) {
    let answer = Answer {
        number: 1,
        state: RowState::Open,
        bound: Bound::UNKNOWN,
        nodes: 0,
        duplicate_of: None,
        best_move: None,
    };
    // Knowledge has no row that knows nothing.
    let Some(written) = format_row(form, row, &answer) else { return };
    let again = read_row(form, &written, Defaults::default());
    let again = again.unwrap_or_else(|fault| panic!("{written:?}: {fault:?}"));
    let again = again.unwrap_or_else(|| panic!("{written:?} has no row"));
    assert_eq!((again.position, again.side), (row.position, row.side), "{written:?}");
    if form != Form::Obf {
        assert_eq!(again.question, row.question, "{written:?}");
    }
}

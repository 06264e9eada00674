//! The messages about campaigns survive the wire, and bad ones are named.

use outflank_engine::{BoardSize, Score, Window};
use outflank_proto::campaign::{
    Campaign, Change, ExportRequest, Form, ImportHead, ImportPart, Selection, imported, valid_name,
};
use outflank_proto::{InvalidField, v1};
use proptest::option;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_][a-zA-Z0-9._-]{0,63}"
}

fn form() -> impl Strategy<Value = Form> {
    prop::sample::select(Form::ALL.to_vec())
}

fn window() -> impl Strategy<Value = Window> {
    (-32..32_i32, 1..64_i32).prop_filter_map("out of range", |(lower, width)| {
        Window::new(Score::new(2 * lower)?, Score::new(2 * (lower + width))?)
    })
}

fn head() -> impl Strategy<Value = ImportHead> {
    let numbers = (any::<u8>(), option::of(1..=60_u32), any::<bool>());
    (name(), "[ -~]{0,40}", option::of(form()), numbers, window()).prop_map(
        |(name, source, form, (priority, split_to, paused), window)| ImportHead {
            name,
            source,
            form,
            priority,
            split_to,
            window,
            board: if paused { BoardSize::STANDARD } else { "4x6".parse().unwrap() },
            paused,
        },
    )
}

fn campaign() -> impl Strategy<Value = Campaign> {
    let counts = prop::array::uniform8(0..1_u64 << 40);
    let rest = (any::<u8>(), any::<bool>(), option::of(1..=60_u32), option::of(any::<u64>()));
    (name(), form(), counts, rest, "[ -~]{0,40}").prop_map(|(name, form, counts, rest, fault)| {
        let [duplicates, proved, refuted, solved, open, active, disputed, nodes] = counts;
        let (priority, paused, split_to, seconds_left) = rest;
        let rows = duplicates + proved + refuted + solved + open;
        Campaign {
            name,
            form,
            priority,
            paused,
            split_to,
            rows,
            duplicates,
            proved,
            refuted,
            solved,
            open,
            active,
            disputed,
            nodes,
            nodes_per_second: nodes as f64 / 7.0,
            predicted_nodes_left: nodes as f64 * 3.0,
            seconds_left,
            fault,
            workers: active,
            unaudited: duplicates,
            unreviewed: proved,
        }
    })
}

/// Sends `message` over the wire and reads it.
fn sent<W: prost::Message + Default, T: TryFrom<W, Error = InvalidField>>(
    wire: &W,
) -> Result<T, InvalidField> {
    T::try_from(W::decode(wire.encode_to_vec().as_slice()).expect("it was just encoded"))
}

proptest! {
    #[test]
    fn imports_survive(head in head(), data: Vec<u8>, end: u64) {
        for part in [ImportPart::Head(head), ImportPart::Data(data), ImportPart::End(end)] {
            prop_assert_eq!(sent(&v1::ImportPart::from(part.clone())), Ok(part));
        }
    }

    #[test]
    fn states_survive(campaign in campaign()) {
        prop_assert_eq!(sent(&v1::Campaign::from(campaign.clone())), Ok(campaign.clone()));
        let answer = v1::ImportResponse { campaign: Some(campaign.clone().into()), repeated: true };
        prop_assert_eq!(imported(answer), Ok((campaign, true)));
    }

    #[test]
    fn wishes_survive(
        name in name(),
        paused: Option<bool>,
        priority: Option<u8>,
        form in option::of(form()),
        limit: Option<u64>,
        selection in prop::sample::select(vec![
            Selection::All, Selection::Open, Selection::Proved, Selection::Refuted, Selection::Solved,
        ]),
    ) {
        let change = Change { name: name.clone(), paused, priority };
        prop_assert_eq!(sent(&v1::ChangeRequest::from(change.clone())), Ok(change));
        let request = ExportRequest { name, form, selection, limit };
        prop_assert_eq!(sent(&v1::ExportRequest::from(request.clone())), Ok(request));
    }

    #[test]
    fn a_name_is_a_plain_folder_name(name: String) {
        if valid_name(&name) {
            prop_assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.'));
            prop_assert!(name.is_ascii() && !name.is_empty() && name.len() <= 64);
        }
    }
}

#[test]
fn bad_fields_are_named() {
    let head = v1::ImportHead { name: "good".to_owned(), ..v1::ImportHead::default() };
    let field = |head: v1::ImportHead| {
        let part = v1::ImportPart { part: Some(v1::import_part::Part::Head(head)) };
        ImportPart::try_from(part).map_err(|error| error.field)
    };
    assert!(field(head.clone()).is_ok());
    let named = |field: &str| Err(format!("head.{field}"));
    for bad in ["", ".hidden", "-x", "a/b", "a b", &"a".repeat(65)] {
        assert_eq!(field(v1::ImportHead { name: bad.to_owned(), ..head.clone() }), named("name"));
    }
    assert_eq!(field(v1::ImportHead { form: 9, ..head.clone() }), named("form"));
    assert_eq!(field(v1::ImportHead { priority: 256, ..head.clone() }), named("priority"));
    for split_to in [0, 61] {
        let split_to = Some(split_to);
        assert_eq!(field(v1::ImportHead { split_to, ..head.clone() }), named("split_to"));
    }
    let board = "9x9".to_owned();
    assert_eq!(field(v1::ImportHead { board, ..head.clone() }), named("board"));
    let window = Some(v1::Window { lower: 1, upper: 4 });
    assert_eq!(field(v1::ImportHead { window, ..head }), named("window.lower"));
    assert_eq!(ImportPart::try_from(v1::ImportPart { part: None }).unwrap_err().field, "part");

    let name = "good".to_owned();
    let export = v1::ExportRequest { name: name.clone(), selection: 7, ..Default::default() };
    assert_eq!(ExportRequest::try_from(export).unwrap_err().field, "selection");
    let state = v1::Campaign { name, form: 1, rows: 4, open: 4, ..v1::Campaign::default() };
    let field = |state: v1::Campaign| Campaign::try_from(state).map_err(|error| error.field);
    assert!(field(state.clone()).is_ok());
    let named = |field: &str| Err(field.to_owned());
    assert_eq!(field(v1::Campaign { open: 3, ..state.clone() }), named("rows"));
    // A fuzzer sent no number.
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let (rate, left) = (state.clone(), state.clone());
        let rate = v1::Campaign { nodes_per_second: bad, ..rate };
        assert_eq!(field(rate), named("nodes_per_second"));
        let left = v1::Campaign { predicted_nodes_left: bad, ..left };
        assert_eq!(field(left), named("predicted_nodes_left"));
    }
}

#[test]
fn what_a_head_leaves_out_has_its_usual_meaning() {
    let wire = v1::ImportHead { name: "good".to_owned(), ..v1::ImportHead::default() };
    let head = ImportHead::try_from(wire.clone()).expect("only the name must be there");
    assert_eq!((head.window, head.board), (Window::FULL, BoardSize::STANDARD));
    let sent = v1::ImportHead::from(head);
    assert_eq!(sent.board, wire.board, "earlier releases know one board and no name for it");
}

#[test]
fn long_texts_are_cut_where_they_are_only_shown() {
    let head = |name: &str, source: &str| v1::ImportHead {
        name: name.to_owned(),
        source: source.to_owned(),
        ..v1::ImportHead::default()
    };
    let cut = ImportHead::try_from(head("good", &"ß".repeat(300))).expect("a source is any text");
    assert_eq!(cut.source, "ß".repeat(256));
    let error = ImportHead::try_from(head(&"ß".repeat(300), "")).expect_err("no name");
    assert_eq!(error.found, "ß".repeat(80));
}

#[test]
fn rows_that_are_no_duplicates_are_tasks() {
    let name = "good".to_owned();
    let wire =
        v1::Campaign { name, form: 1, rows: 7, duplicates: 3, open: 4, ..Default::default() };
    assert_eq!(Campaign::try_from(wire).expect("the numbers fit").tasks(), 4);
}

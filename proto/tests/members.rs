//! What is wrong with a word of a worker to those that share a search with it is refused by the name of its field.

use outflank_engine::{BoardSize, Errand, Position, Square};
use outflank_proto::message::{FromMember, FromWorker, JobId, ToMember, ToWorker};
use outflank_proto::v1;

/// Returns what is wrong with a word of a worker to those that share a search with it; `None` if the word is a good one.
fn wrong_from(word: v1::from_member::Word) -> Option<String> {
    let member = v1::FromMember { job: 1, word: Some(word) };
    let message = Some(v1::from_worker::Message::Member(member));
    FromWorker::try_from(v1::FromWorker { message }).err().map(|error| error.to_string())
}

/// Returns what is wrong with such a word on its way to a worker; `None` if the word is a good one.
fn wrong_to(word: v1::to_member::Word) -> Option<String> {
    let member = v1::ToMember { job: 1, word: Some(word) };
    let message = Some(v1::to_worker::Message::Member(member));
    ToWorker::try_from(v1::ToWorker { message }).err().map(|error| error.to_string())
}

/// A valid errand, to be spoiled.
fn good_errand() -> v1::Errand {
    let position = Position::START;
    let square = Square::lowest(position.moves()).expect("there are moves");
    let errand = Errand::new(position, square, (-1, 1), Errand::PROOF, 32);
    let word = FromMember::Errand { hand: 0, number: 1, errand: errand.expect("it can be asked") };
    match word.into() {
        v1::from_member::Word::Errand(errand) => errand,
        other => panic!("{other:?} in place of an errand"),
    }
}

#[test]
fn a_word_of_a_member_that_is_absent_is_refused_with_those_that_it_may_say() {
    let message = Some(v1::from_worker::Message::Member(v1::FromMember { job: 1, word: None }));
    let error = FromWorker::try_from(v1::FromWorker { message }).expect_err("empty");
    assert_eq!(
        error.to_string(),
        "field member.word is absent, expected call, release, errand, recall, offer or answer"
    );
    let message = Some(v1::to_worker::Message::Member(v1::ToMember { job: 1, word: None }));
    let error = ToWorker::try_from(v1::ToWorker { message }).expect_err("empty");
    assert_eq!(
        error.to_string(),
        "field member.word is absent, expected company, engaged, errand, recall or answer"
    );
}

#[test]
fn a_hand_is_one_of_64() {
    use v1::from_member::Word as From;
    use v1::to_member::Word as To;
    type Read = (&'static str, fn(u32) -> Option<String>);
    let words: [Read; 6] = [
        ("call", |hand| wrong_from(From::Call(v1::Call { hand }))),
        ("release", |hand| wrong_from(From::Release(v1::Release { hand }))),
        ("errand", |hand| wrong_from(From::Errand(v1::Errand { hand, ..good_errand() }))),
        ("recall", |hand| wrong_from(From::Recall(v1::Recall { hand, number: 1 }))),
        ("engaged", |hand| wrong_to(To::Engaged(v1::Engaged { hand, is_there: true }))),
        ("answer", |hand| wrong_to(To::Answer(v1::Answer { hand, ..v1::Answer::default() }))),
    ];
    for (word, read) in words {
        assert_eq!(read(63), None, "{word}");
        for bad in [64, u32::MAX] {
            let expected =
                format!("field member.{word}.hand is {bad}, expected a hand from 0 to 63");
            assert_eq!(read(bad), Some(expected));
        }
    }
}

#[test]
fn what_a_move_is_worth_is_from_one_end_of_the_board_to_the_other() {
    type Read = fn(i32) -> Option<String>;
    let words: [Read; 2] = [
        |value| {
            let answer = v1::Answer { value: Some(value), ..v1::Answer::default() };
            wrong_from(v1::from_member::Word::Answer(answer))
        },
        |value| {
            let answer = v1::Answer { value: Some(value), ..v1::Answer::default() };
            wrong_to(v1::to_member::Word::Answer(answer))
        },
    ];
    for read in words {
        for good in [-64, -63, 0, 64] {
            assert_eq!(read(good), None, "{good}");
        }
        for bad in [-65, 65, i32::MIN, i32::MAX] {
            let expected = format!("field member.answer.value is {bad}, expected -64 to 64 discs");
            assert_eq!(read(bad), Some(expected));
        }
    }
}

#[test]
fn the_nodes_behind_an_answer_are_at_most_two_to_the_power_of_53() {
    let read = |nodes| {
        let answer = v1::Answer { value: None, nodes, ..v1::Answer::default() };
        wrong_from(v1::from_member::Word::Answer(answer))
    };
    assert_eq!(read(1 << 53), None);
    let expected = "field member.answer.nodes is 9007199254740993, expected at most 2^53";
    assert_eq!(read((1 << 53) + 1).as_deref(), Some(expected));
}

/// Checks that an errand that is spoiled is refused with this text in both directions, after `field `.
fn check_bad_errand(spoil: impl FnOnce(&mut v1::Errand), expected: &str) {
    let mut errand = good_errand();
    spoil(&mut errand);
    let expected = format!("field {expected}");
    let from = wrong_from(v1::from_member::Word::Errand(errand));
    assert_eq!(from.as_deref(), Some(expected.as_str()));
    let to = wrong_to(v1::to_member::Word::Errand(errand));
    assert_eq!(to.as_deref(), Some(expected.as_str()));
}

#[test]
fn each_bad_field_of_an_errand_is_named() {
    assert_eq!(wrong_from(v1::from_member::Word::Errand(good_errand())), None);
    assert_eq!(wrong_to(v1::to_member::Word::Errand(good_errand())), None);
    check_bad_errand(
        |errand| errand.position = None,
        "member.errand.position is absent, expected a position",
    );
    check_bad_errand(
        |errand| errand.position = Some(v1::Position { player: 3, opponent: 1 }),
        "member.errand.position is two boards that share the squares 0x0000000000000001, expected boards that share no \
         square but the walls of a small board",
    );
    check_bad_errand(
        |errand| errand.square = 64,
        "member.errand.square is 64, expected a square from 0 to 63",
    );
}

/// What an errand is that no search asks for, each field of it for itself a possible one.
#[test]
fn an_errand_that_no_search_asks_for_is_refused_with_what_it_was() {
    let check = |spoil: fn(&mut v1::Errand), found: &str| {
        let possible =
            "a legal move on the large board, a window and a level that a search asks for";
        check_bad_errand(spoil, &format!("member.errand is {found}, expected {possible}"));
    };
    let legal = Square::new(good_errand().square).expect("it is legal");
    let spoilt = |window: &str, level: u32, estimate: i32| {
        format!("{legal} from {window}, level {level}, estimate {estimate}")
    };
    let proof = Errand::PROOF;
    check(|errand| errand.square = 0, &format!("a1 from -1 to 1, level {proof}, estimate 32"));
    check(|errand| errand.alpha = 1, &spoilt("1 to 1", proof, 32));
    check(|errand| errand.alpha = -66, &spoilt("-66 to 1", proof, 32));
    check(|errand| errand.beta = 66, &spoilt("-1 to 66", proof, 32));
    check(|errand| errand.beta = i32::MIN, &spoilt("-1 to -2147483648", proof, 32));
    check(|errand| errand.level = Errand::PROOF + 1, &spoilt("-1 to 1", proof + 1, 32));
    check(|errand| errand.level = u32::MAX, &spoilt("-1 to 1", u32::MAX, 32));
    check(|errand| errand.estimate = 2049, &spoilt("-1 to 1", proof, 2049));
    check(|errand| errand.estimate = i32::MIN, &spoilt("-1 to 1", proof, i32::MIN));
    let small = |errand: &mut v1::Errand| {
        let start = BoardSize::new(6, 6).expect("a size").start();
        errand.position = Some(start.into());
        errand.square = Square::lowest(start.moves()).expect("there are moves").index();
    };
    let mut errand = good_errand();
    small(&mut errand);
    let square = Square::new(errand.square).expect("a square");
    check(small, &format!("{square} from -1 to 1, level {proof}, estimate 32"));
}

#[test]
fn what_a_direction_does_not_say_is_not_looked_at() {
    let answer = v1::Answer { hand: 3, number: 5, value: Some(-2), nodes: u64::MAX };
    let member = v1::ToMember { job: 1, word: Some(v1::to_member::Word::Answer(answer)) };
    let message = Some(v1::to_worker::Message::Member(member));
    let read = ToWorker::try_from(v1::ToWorker { message });
    let word = ToMember::Answer { hand: 3, number: 5, value: Some(-2) };
    assert_eq!(read, Ok(ToWorker::Member(JobId(1), word)));
}

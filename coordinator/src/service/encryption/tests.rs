use super::*;

fn file(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/tls");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

/// What is wrong with files is the question of [`outflank_proto::pem`].
#[test]
fn what_cannot_be_used_is_refused() {
    let own = Identity { certificates: file("coordinator.pem"), key: file("coordinator-key.pem") };
    Encryption::new(&own, Some(&file("callers-authority.pem"))).expect("all can be used");
    let torn = b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    let half = [&file("callers-authority.pem")[..], torn].concat();
    let refused = Encryption::new(&own, Some(&half)).map(drop);
    let refused = refused.expect_err("one of those to trust cannot be read");
    assert!(matches!(refused, InvalidEncryption::Pem(_)), "{refused}");
    let other = Identity { key: file("caller-key.pem"), ..own };
    let refused = Encryption::new(&other, None).map(drop);
    assert_eq!(refused, Err(InvalidEncryption::Pem(InvalidPem::Mismatch)));
}

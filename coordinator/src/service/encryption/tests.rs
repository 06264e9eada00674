use super::EncryptionPart::{Callers, Certificate as Own, Key};
use super::*;

fn file(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/tls");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

fn encryption(certificates: &[u8], key: &[u8]) -> Result<Encryption, InvalidEncryption> {
    Encryption::new(&Identity { certificates: certificates.to_vec(), key: key.to_vec() }, None)
}

#[track_caller]
fn refused(result: Result<Encryption, InvalidEncryption>, part: EncryptionPart, fault: &str) {
    let error = result.expect_err("it cannot be used");
    assert_eq!(error.part, part, "{error}");
    assert!(error.fault.contains(fault), "{fault:?} is missing: {error}");
}

/// `stream did not contain valid UTF-8`, and which of the files it was nobody could tell.
#[test]
fn files_in_other_forms_are_named_with_what_they_are() {
    let (certificate, key) = (file("coordinator.pem"), file("coordinator-key.pem"));
    encryption(&certificate, &key).expect("they belong together");
    let marked = |text: &[u8]| [b"\xef\xbb\xbf", text].concat();
    encryption(&marked(&certificate), &marked(&key)).expect("the mark is left out");
    let wide = |mark: &[u16], text: &[u8]| -> Vec<u8> {
        let units = mark.iter().copied().chain(text.iter().copied().map(u16::from));
        units.flat_map(u16::to_le_bytes).collect()
    };
    let der = pem::certificates(&certificate).unwrap().remove(0);
    let secret = pem::key(&key).unwrap();
    // What a key of P-256 begins with in its oldest form, of fewer than 128 bytes.
    let short = b"\x30\x77\x02\x01\x01\x04\x20".to_vec();
    for (form, certificates, keys) in [
        ("is UTF-16, expected PEM", wide(&[0xfeff], &certificate), wide(&[], &key)),
        ("is DER or PKCS #12, expected PEM", der.to_vec(), secret.secret_der().to_vec()),
        ("is damaged, expected", certificate[..400].to_vec(), key[..150].to_vec()),
        ("is DER or PKCS #12, expected PEM", short.clone(), short),
        (", expected PEM", b"nothing".to_vec(), Vec::new()),
    ] {
        refused(encryption(&certificates, &key), Own, form);
        refused(encryption(&certificate, &keys), Key, form);
        let own = Identity { certificates: certificate.clone(), key: key.clone() };
        refused(Encryption::new(&own, Some(&certificates)), Callers, form);
    }
    refused(encryption(&key, &certificate), Own, "has no CERTIFICATE, expected PEM");
    refused(encryption(&certificate, &certificate), Key, "has no PRIVATE KEY, expected PEM");
}

/// `openssl x509 -req` makes one unless it is told of extensions; the message was a term of rustls.
#[test]
fn certificates_that_cannot_be_read_are_told_from_those_of_an_old_version() {
    let key = file("coordinator-key.pem");
    let old = "is of an old version of X.509, expected an X.509 certificate of version 3";
    refused(encryption(&file("old.pem"), &key), Own, old);
    let torn = b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    refused(encryption(torn, &key), Own, "has a CERTIFICATE that cannot be read, expected an");
}

#[test]
fn keys_that_cannot_be_used_are_told_apart() {
    let certificate = file("coordinator.pem");
    for (name, fault) in [
        ("encrypted-key.pem", "is encrypted with a password, expected a key without one"),
        ("encrypted-ec-key.pem", "is encrypted with a password, expected a key without one"),
        ("p521-key.pem", "is of a kind that cannot be used, expected RSA of 2048 to"),
        ("secp256k1-key.pem", "is of a kind that cannot be used, expected RSA of 2048 to"),
        ("rsa1024-key.pem", "is of a kind that cannot be used, expected RSA of 2048 to"),
        ("caller-key.pem", "does not belong to the certificate, expected the key that"),
    ] {
        refused(encryption(&certificate, &file(name)), Key, fault);
    }
}

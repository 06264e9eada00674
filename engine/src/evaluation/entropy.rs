//! Packing of weights: range asymmetric numeral systems with one table of frequencies a block.
//!
//! Weights are small numbers with a sharp peak at zero, which general compressors pack worse than
//! a plain entropy coder does. A value is mapped to 0, 1, 2, … in the order 0, −1, 1, −2, …; those
//! below 255 are symbols, the others are the symbol 255 and two plain bytes.
//!
//! Source: J. Duda, "Asymmetric numeral systems" (arXiv 1311.2540), the range variant with a
//! 32-bit state that moves bytes, as F. Giesen describes it.

/// The number of symbols.
const SYMBOLS: usize = 256;
/// The symbol before a value that has none of its own.
const ESCAPE: u16 = 255;
/// Frequencies add up to 2 to this power.
const SCALE: u32 = 12;
/// The state stays at or above this number between symbols.
const LOWEST: u32 = 1 << 23;

/// Returns the value's place in the order 0, −1, 1, −2, ….
fn zigzag(value: i16) -> u16 {
    ((value << 1) ^ (value >> 15)).cast_unsigned()
}

fn unzigzag(place: u16) -> i16 {
    (place >> 1).cast_signed() ^ (-(place & 1).cast_signed())
}

/// Appends the packed values to `out`.
pub(super) fn pack(values: &[i16], out: &mut Vec<u8>) {
    let symbols = values.iter().map(|&value| zigzag(value).min(ESCAPE));
    let frequencies = frequencies(symbols);
    write_frequencies(&frequencies, out);
    let starts = starts(&frequencies);

    // The decoder runs forwards, so the encoder runs backwards.
    let (mut state, mut reversed) = (LOWEST, Vec::new());
    let mut put = |start: u32, frequency: u32| {
        while state >= ((LOWEST >> SCALE) << 8) * frequency {
            reversed.push(state as u8);
            state >>= 8;
        }
        state = ((state / frequency) << SCALE) + state % frequency + start;
    };
    for &value in values.iter().rev() {
        let place = zigzag(value);
        if place >= ESCAPE {
            for byte in [place >> 8, place & 255] {
                put(u32::from(byte) << (SCALE - 8), 1 << (SCALE - 8));
            }
        }
        let symbol = usize::from(place.min(ESCAPE));
        put(starts[symbol], u32::from(frequencies[symbol]));
    }
    out.extend((reversed.len() as u32 + 4).to_le_bytes());
    out.extend(state.to_le_bytes());
    out.extend(reversed.iter().rev());
}

/// Takes a packed block from the front of `input` without unpacking it and returns its bytes, or
/// `None` if it is not one.
pub(super) fn skip<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let whole = *input;
    read_frequencies(input)?;
    let length = u32::from_le_bytes(*input.split_off(..4)?.first_chunk()?);
    input.split_off(..length as usize)?;
    Some(&whole[..whole.len() - input.len()])
}

/// Takes a packed block of `values.len()` values from the front of `input`, or returns `None` if
/// it is not one.
pub(super) fn unpack(input: &mut &[u8], values: &mut [i16]) -> Option<()> {
    let frequencies = read_frequencies(input)?;
    let starts = starts(&frequencies);
    let mut symbols = vec![0_u8; 1 << SCALE];
    for (symbol, &frequency) in frequencies.iter().enumerate() {
        let start = starts[symbol] as usize;
        symbols[start..start + usize::from(frequency)].fill(symbol as u8);
    }
    let length = u32::from_le_bytes(*input.split_off(..4)?.first_chunk()?);
    let block = input.split_off(..length as usize)?;
    let (head, mut bytes) = block.split_at_checked(4)?;
    let mut state = u32::from_le_bytes(*head.first_chunk()?);
    if !(LOWEST..LOWEST << 8).contains(&state) {
        return None;
    }

    let mut advance = |state: &mut u32, start: u32, frequency: u32| -> Option<()> {
        *state = frequency * (*state >> SCALE) + (*state & ((1 << SCALE) - 1)) - start;
        while *state < LOWEST {
            let (&byte, rest) = bytes.split_first()?;
            bytes = rest;
            *state = (*state << 8) | u32::from(byte);
        }
        Some(())
    };
    for value in &mut *values {
        let symbol = usize::from(symbols[state as usize & ((1 << SCALE) - 1)]);
        advance(&mut state, starts[symbol], u32::from(frequencies[symbol]))?;
        let mut place = symbol as u16;
        if place == ESCAPE {
            place = 0;
            for shift in [0, 8] {
                let byte = (state & ((1 << SCALE) - 1)) >> (SCALE - 8);
                advance(&mut state, byte << (SCALE - 8), 1 << (SCALE - 8))?;
                place |= (byte as u16) << shift;
            }
        }
        *value = unzigzag(place);
    }
    (bytes.is_empty() && state == LOWEST).then_some(())
}

/// Returns frequencies that add up to 2^[`SCALE`] and are not 0 for any symbol that occurs.
fn frequencies(symbols: impl Iterator<Item = u16>) -> [u16; SYMBOLS] {
    let mut counts = [0_u64; SYMBOLS];
    for symbol in symbols {
        counts[usize::from(symbol)] += 1;
    }
    let total = counts.iter().sum::<u64>().max(1);
    let scaled = |count: u64| ((count << SCALE) / total).max(u64::from(count != 0)) as u16;
    let mut frequencies = counts.map(scaled);
    let largest = |frequencies: &[u16; SYMBOLS]| {
        (0..SYMBOLS).max_by_key(|&symbol| frequencies[symbol]).unwrap_or(0)
    };
    // Rounding leaves too little, the rare symbols take too much: the most frequent ones settle it.
    loop {
        let sum: u32 = frequencies.iter().map(|&frequency| u32::from(frequency)).sum();
        let symbol = largest(&frequencies);
        match sum.cmp(&(1 << SCALE)) {
            std::cmp::Ordering::Less => frequencies[symbol] += ((1 << SCALE) - sum) as u16,
            std::cmp::Ordering::Equal => return frequencies,
            std::cmp::Ordering::Greater => frequencies[symbol] -= 1,
        }
    }
}

/// Returns the sum of the frequencies before each symbol.
fn starts(frequencies: &[u16; SYMBOLS]) -> [u32; SYMBOLS] {
    let mut sum = 0;
    frequencies.map(|frequency| {
        sum += u32::from(frequency);
        sum - u32::from(frequency)
    })
}

/// Writes each frequency in one byte if it is below 128, else in two; a 0 is followed by the number
/// of further zeros.
fn write_frequencies(frequencies: &[u16; SYMBOLS], out: &mut Vec<u8>) {
    let mut symbol = 0;
    while symbol < SYMBOLS {
        let frequency = frequencies[symbol];
        if frequency == 0 {
            let run = frequencies[symbol..].iter().take_while(|&&next| next == 0).count();
            out.extend([0, (run - 1) as u8]);
            symbol += run;
            continue;
        }
        if frequency < 128 {
            out.push(frequency as u8);
        } else {
            out.extend([(frequency & 127) as u8 | 128, (frequency >> 7) as u8]);
        }
        symbol += 1;
    }
}

fn read_frequencies(input: &mut &[u8]) -> Option<[u16; SYMBOLS]> {
    let mut frequencies = [0; SYMBOLS];
    let mut symbol = 0;
    let mut byte = || {
        let (&byte, rest) = input.split_first()?;
        *input = rest;
        Some(u16::from(byte))
    };
    while symbol < SYMBOLS {
        let first = byte()?;
        if first == 0 {
            symbol += usize::from(byte()?) + 1;
            continue;
        }
        frequencies[symbol] = if first < 128 { first } else { first - 128 + (byte()? << 7) };
        symbol += 1;
    }
    let sum: u32 = frequencies.iter().map(|&frequency| u32::from(frequency)).sum();
    (symbol == SYMBOLS && sum == 1 << SCALE).then_some(frequencies)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn round_trip(values: &[i16]) -> usize {
        let mut packed = Vec::new();
        pack(values, &mut packed);
        let length = packed.len();
        packed.push(42);
        let (mut input, mut found) = (&packed[..], vec![0; values.len()]);
        let mut skipped = input;
        assert_eq!(skip(&mut skipped), Some(&packed[..length]));
        assert_eq!(unpack(&mut input, &mut found), Some(()));
        assert_eq!((input, &found[..]), (&[42][..], values));
        length
    }

    #[test]
    fn extreme_blocks_come_back() {
        round_trip(&[]);
        round_trip(&[i16::MIN, i16::MAX, 0, -1, 1, 127, -127, -128, 128]);
        round_trip(&(i16::MIN..=i16::MAX).collect::<Vec<_>>());
        assert!(round_trip(&[0; 100_000]) < 100);
    }

    proptest! {
        #[test]
        fn every_block_comes_back(values in prop::collection::vec(-300_i16..300, 0..2000)) {
            round_trip(&values);
        }

        #[test]
        fn damage_is_no_panic(
            values in prop::collection::vec(-300_i16..300, 1..200),
            place in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut packed = Vec::new();
            pack(&values, &mut packed);
            let place = place.index(packed.len());
            packed[place] = byte;
            let mut found = vec![0; values.len()];
            unpack(&mut &packed[..], &mut found);
            for end in 0..packed.len() {
                unpack(&mut &packed[..end], &mut found);
                skip(&mut &packed[..end]);
            }
        }
    }
}

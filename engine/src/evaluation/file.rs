//! The weights file: what is stored, how it is written, and how it is checked.
//!
//! | bytes | content (little-endian) |
//! | --- | --- |
//! | 8 | `OUTFLNKW` |
//! | 4 | version, 2 |
//! | 4 | CRC-32 of all that follows |
//! | 8 | [fingerprint](super::patterns::FINGERPRINT) of the pattern set |
//! | 4 | [units](super::UNIT) in a disc, 32 |
//! | 4, 4 | first stage, number of stages |
//! | 4, n | length of the provenance, provenance in UTF-8 |
//! | | for each stage the packed differences from the stage before: a block for each pattern class, then one for mobility and constants; the first stage is packed as it is |
//! | 4, n × 8 | number of selectivity parameters, 0 or 19, and the parameters as `f64` |
//! | 4 | 1 if costs follow, 0 if not |
//! | | of the costs the packed logarithms of nodes, chances and means, each number as the difference from the one before |

use super::costs::CostParameters;
use super::patterns::{CANONICAL, CANONICAL_STARTS, FINGERPRINT};
use super::selectivity::Selectivity;
use super::weights::MOBILITY;
use super::{UNIT, entropy, parallel};

/// The number of trained weights of a stage: patterns, mobility, and two constants.
pub const PARAMETERS: usize = CANONICAL + MOBILITY * MOBILITY + 2;

const MAGIC: [u8; 8] = *b"OUTFLNKW";
const VERSION: u32 = 2;
/// The most stages there can be: one for two empty squares.
const MOST_STAGES: u32 = 32;

/// A weights file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// There is nothing in it, as where the program was built without weights.
    #[error("the weights file is empty, as in a program that was built without an evaluation")]
    Absent,
    /// It is something else.
    #[error("no weights file: it begins with {found:02x?}, expected {expected:02x?}", expected = MAGIC)]
    Magic {
        /// The first bytes, at most eight.
        found: Vec<u8>,
    },
    /// It has another format.
    #[error("weights file of version {found}, expected version {expected}", expected = VERSION)]
    Version {
        /// The version it has.
        found: u32,
    },
    /// It was damaged.
    #[error("weights file has checksum {found:08x}, its content gives {computed:08x}")]
    Checksum {
        /// What the file says.
        found: u32,
        /// What its content gives.
        computed: u32,
    },
    /// It was trained for other patterns.
    #[error("weights for the pattern set {found:016x}, expected {expected:016x}", expected = FINGERPRINT)]
    Patterns {
        /// The fingerprint it has.
        found: u64,
    },
    /// There is no memory for them.
    #[error("there is no memory for the weights")]
    Memory,
    /// It ends early or contradicts itself.
    #[error("weights file is malformed at offset {offset}: expected {expected}")]
    Malformed {
        /// How many bytes were understood.
        offset: usize,
        /// What should have been there.
        expected: &'static str,
    },
}

/// The trained weights of one stage, in units of 1/32 disc: canonical pattern weights class by
/// class, mobility weights by own moves and then the opponent's, the constants for even and for odd
/// numbers of empty squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageParameters {
    /// [`PARAMETERS`] weights.
    pub(crate) weights: Vec<i16>,
}

impl StageParameters {
    /// Returns the parameters, or `None` if there are not [`PARAMETERS`] of them.
    #[must_use]
    pub fn new(weights: Vec<i16>) -> Option<Self> {
        (weights.len() == PARAMETERS).then_some(Self { weights })
    }

    /// Returns the weights.
    #[must_use]
    pub fn weights(&self) -> &[i16] {
        &self.weights
    }
}

/// The content of a weights file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    first_stage: u32,
    stages: Vec<StageParameters>,
    provenance: String,
    selectivity: Option<Selectivity>,
    costs: Option<CostParameters>,
}

impl File {
    /// Returns a file of the given stages, the first of which is `first_stage`, or `None` if there
    /// is no stage or one beyond the last possible one, 32.
    #[must_use]
    pub fn new(
        first_stage: u32,
        stages: Vec<StageParameters>,
        provenance: String,
        selectivity: Option<Selectivity>,
    ) -> Option<Self> {
        let fits = first_stage as usize + stages.len() <= MOST_STAGES as usize + 1;
        let valid = first_stage > 0 && !stages.is_empty() && fits;
        valid.then_some(Self { first_stage, stages, provenance, selectivity, costs: None })
    }

    /// Returns the number of the first stage.
    #[must_use]
    pub const fn first_stage(&self) -> u32 {
        self.first_stage
    }

    /// Returns the stages, from the first one on; there is at least one.
    #[must_use]
    pub fn stages(&self) -> &[StageParameters] {
        &self.stages
    }

    /// Returns how the weights came to be, as text, one fact a line.
    #[must_use]
    pub fn provenance(&self) -> &str {
        &self.provenance
    }

    /// Returns the file with what was measured of shallow and deep searches.
    #[must_use]
    pub fn with_selectivity(self, selectivity: Selectivity) -> Self {
        Self { selectivity: Some(selectivity), ..self }
    }

    /// Returns how far shallow searches are from deep ones, if that was measured.
    #[must_use]
    pub const fn selectivity(&self) -> Option<&Selectivity> {
        self.selectivity.as_ref()
    }

    /// Returns the file with what proofs were measured to cost, of which `facts` are noted in the
    /// provenance, one a line.
    #[must_use]
    pub fn with_costs(self, costs: CostParameters, facts: &str) -> Self {
        Self { costs: Some(costs), provenance: self.provenance + facts, ..self }
    }

    /// Returns what proofs cost, if that was measured.
    #[must_use]
    pub const fn costs(&self) -> Option<&CostParameters> {
        self.costs.as_ref()
    }

    /// Returns a number that tells these weights from all others: a hash of the stages and the costs. What
    /// the file says of selectivity and its provenance are not in it.
    #[must_use]
    pub fn id(&self) -> u64 {
        let mut hash = FINGERPRINT ^ u64::from(self.first_stage);
        let costs =
            self.costs.iter().flat_map(|costs| [&costs.nodes, &costs.chances, &costs.means]);
        for numbers in self.stages.iter().map(|stage| &stage.weights).chain(costs) {
            // Four weights at a time, or this would take longer than unpacking them.
            for weights in numbers.chunks(4) {
                let four = weights
                    .iter()
                    .fold(0, |four, &weight| (four << 16) | u64::from(weight.cast_unsigned()));
                hash = (hash ^ four).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                hash ^= hash >> 32;
            }
        }
        hash
    }

    /// Returns the file's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend(FINGERPRINT.to_le_bytes());
        body.extend(UNIT.to_le_bytes());
        body.extend(self.first_stage.to_le_bytes());
        body.extend((self.stages.len() as u32).to_le_bytes());
        body.extend((self.provenance.len() as u32).to_le_bytes());
        body.extend(self.provenance.as_bytes());
        let mut before = vec![0; PARAMETERS];
        for stage in &self.stages {
            let differences: Vec<i16> = stage
                .weights
                .iter()
                .zip(&before)
                .map(|(now, old)| now.wrapping_sub(*old))
                .collect();
            for block in blocks() {
                entropy::pack(&differences[block], &mut body);
            }
            before.clone_from(&stage.weights);
        }
        let parameters = self.selectivity.as_ref().map(Selectivity::parameters);
        let parameters = parameters.as_ref().map_or(&[][..], |parameters| &parameters[..]);
        body.extend((parameters.len() as u32).to_le_bytes());
        body.extend(parameters.iter().flat_map(|parameter| parameter.to_le_bytes()));
        body.extend(u32::from(self.costs.is_some()).to_le_bytes());
        for numbers in
            self.costs.iter().flat_map(|costs| [&costs.nodes, &costs.chances, &costs.means])
        {
            entropy::pack(&differences(numbers), &mut body);
        }

        let mut file = MAGIC.to_vec();
        file.extend(VERSION.to_le_bytes());
        file.extend(crc32fast::hash(&body).to_le_bytes());
        file.extend(body);
        file
    }

    /// Returns what a file's bytes say.
    ///
    /// # Errors
    /// If they are not a whole, undamaged weights file of this version and pattern set.
    pub fn decode(content: &[u8]) -> Result<Self, WeightsError> {
        if content.is_empty() {
            return Err(WeightsError::Absent);
        }
        let mut input = Input { content, offset: 0 };
        if !content.starts_with(&MAGIC) {
            return Err(WeightsError::Magic { found: content[..content.len().min(8)].to_vec() });
        }
        input.offset = MAGIC.len();
        let version = input.number("a version")?;
        if version != VERSION {
            return Err(WeightsError::Version { found: version });
        }
        let found = input.number("a checksum")?;
        let computed = crc32fast::hash(&content[input.offset..]);
        if found != computed {
            return Err(WeightsError::Checksum { found, computed });
        }
        input.body()
    }
}

/// The parts of a stage that are packed one by one.
fn blocks() -> impl Iterator<Item = std::ops::Range<usize>> {
    let starts = *CANONICAL_STARTS;
    let last = CANONICAL..PARAMETERS;
    (1..starts.len()).map(move |class| starts[class - 1]..starts[class]).chain([last])
}

/// Returns the difference of each number from the one before, the first as it is.
fn differences(numbers: &[i16]) -> Vec<i16> {
    let before = std::iter::once(0).chain(numbers.iter().copied());
    numbers.iter().zip(before).map(|(now, before)| now.wrapping_sub(before)).collect()
}

/// The content of a file and how much of it is read.
struct Input<'a> {
    content: &'a [u8],
    offset: usize,
}

impl<'a> Input<'a> {
    fn malformed(&self, expected: &'static str) -> WeightsError {
        WeightsError::Malformed { offset: self.offset, expected }
    }

    fn take(&mut self, length: usize, expected: &'static str) -> Result<&'a [u8], WeightsError> {
        let rest = &self.content[self.offset..];
        let taken = rest.get(..length).ok_or_else(|| self.malformed(expected))?;
        self.offset += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], WeightsError> {
        let taken = self.take(N, expected)?;
        Ok(*taken.first_chunk().expect("as many bytes were taken"))
    }

    fn number(&mut self, expected: &'static str) -> Result<u32, WeightsError> {
        self.array(expected).map(u32::from_le_bytes)
    }

    /// Reads all that the checksum covers.
    fn body(mut self) -> Result<File, WeightsError> {
        let found = u64::from_le_bytes(self.array("a fingerprint of the patterns")?);
        if found != FINGERPRINT {
            return Err(WeightsError::Patterns { found });
        }
        if self.number("a unit")? != UNIT.cast_unsigned() {
            return Err(self.malformed("the unit 1/32 disc"));
        }
        let (first, count) = (self.number("a stage")?, self.number("a number of stages")?);
        if first == 0 || count == 0 || first.saturating_add(count) > MOST_STAGES + 1 {
            return Err(self.malformed("stages from 1 to 32"));
        }
        let length = self.number("a length of the provenance")?;
        let text = self.take(length as usize, "a provenance of the length given")?;
        let provenance = std::str::from_utf8(text)
            .map_err(|_| self.malformed("a provenance in UTF-8"))?
            .to_owned();
        let stages = self.stages(count)?;
        let selectivity = self.selectivity()?;
        let costs = self.costs()?;
        if self.offset != self.content.len() {
            return Err(self.malformed("the end of the file"));
        }
        Ok(File { first_stage: first, stages, provenance, selectivity, costs })
    }

    fn stages(&mut self, count: u32) -> Result<Vec<StageParameters>, WeightsError> {
        let mut packed = Vec::new();
        for _ in 0..count {
            let offset = self.offset;
            let mut rest = &self.content[offset..];
            for _ in blocks() {
                entropy::skip(&mut rest).ok_or_else(|| self.malformed("a block of weights"))?;
                self.offset = self.content.len() - rest.len();
            }
            packed.push(Input { content: &self.content[..self.offset], offset });
        }
        // Each stage is packed by itself; only then it is added to the one before.
        let unpacked = parallel::map(packed, |input| input.differences());
        let mut stages: Vec<StageParameters> = Vec::new();
        for weights in unpacked {
            let mut weights = weights?;
            if let Some(before) = stages.last() {
                for (weight, old) in weights.iter_mut().zip(&before.weights) {
                    *weight = weight.wrapping_add(*old);
                }
            }
            stages.push(StageParameters { weights });
        }
        Ok(stages)
    }

    /// Unpacks a stage that begins at the offset.
    fn differences(&self) -> Result<Vec<i16>, WeightsError> {
        let mut weights = vec![0; PARAMETERS];
        let mut rest = &self.content[self.offset..];
        for block in blocks() {
            let offset = self.content.len() - rest.len();
            let malformed = WeightsError::Malformed { offset, expected: "a block of weights" };
            entropy::unpack(&mut rest, &mut weights[block]).ok_or(malformed)?;
        }
        Ok(weights)
    }

    fn selectivity(&mut self) -> Result<Option<Selectivity>, WeightsError> {
        match self.number("a number of selectivity parameters")? as usize {
            0 => Ok(None),
            Selectivity::PARAMETERS => Ok(Some(Selectivity::of(&self.finite()?))),
            _ => Err(self.malformed("0 or 19 selectivity parameters")),
        }
    }

    fn costs(&mut self) -> Result<Option<CostParameters>, WeightsError> {
        match self.number("a number of costs")? {
            0 => return Ok(None),
            1 => {}
            _ => return Err(self.malformed("0 or 1 list of costs")),
        }
        let [nodes, chances, means] = CostParameters::COUNTS;
        let (nodes, chances) = (self.sums(nodes)?, self.sums(chances)?);
        let means = self.sums(means)?;
        let expected = "costs and chances that are possible";
        CostParameters::new(nodes, chances, means).map(Some).ok_or_else(|| self.malformed(expected))
    }

    /// Reads a block of `count` numbers, each packed as the difference from the one before.
    fn sums(&mut self, count: usize) -> Result<Vec<i16>, WeightsError> {
        let mut numbers = vec![0_i16; count];
        let mut rest = &self.content[self.offset..];
        let malformed = || self.malformed("a block of costs");
        entropy::unpack(&mut rest, &mut numbers).ok_or_else(malformed)?;
        self.offset = self.content.len() - rest.len();
        for index in 1..count {
            numbers[index] = numbers[index].wrapping_add(numbers[index - 1]);
        }
        Ok(numbers)
    }

    fn finite<const N: usize>(&mut self) -> Result<[f64; N], WeightsError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = f64::from_le_bytes(self.array("a selectivity parameter")?);
            if !number.is_finite() {
                return Err(self.malformed("a finite selectivity parameter"));
            }
        }
        Ok(numbers)
    }
}

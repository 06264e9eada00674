//! The command line.

mod reading;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{BoolishValueParser, PathBufValueParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand};
use outflank_engine::{BoardSize, Score, Window};
use outflank_kernel::Isa;
use outflank_proto::message::MOST_THREADS;

use crate::budget::Budget;

/// Proves Othello positions, on one machine or on many.
#[derive(Debug, Parser)]
#[command(name = "outflank", version = VERSION.as_str())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Log more, on standard error; more still with -vv and -vvv (RUST_LOG overrides it).
    #[arg(short, long, global = true, action = ArgAction::Count, display_order = GLOBAL)]
    pub(crate) verbose: u8,
    /// Show neither progress nor warnings.
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = GLOBAL)]
    pub(crate) quiet: bool,
}

/// The place in the help of the options that all subcommands have: behind their own.
const GLOBAL: usize = 900;

/// The version and the instruction set in use.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let isa = Isa::chosen().map_or_else(|error| error.to_string(), |isa| isa.to_string());
    format!("{} ({isa})", env!("CARGO_PKG_VERSION"))
});

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Solve(Solve),
    Coordinator(Coordinator),
    Worker(Worker),
    Campaign(crate::campaign::Campaign),
    Top(crate::top::Top),
    Store(Store),
    Proof(Proof),
    Train(crate::train::Train),
    Bench(crate::bench::Bench),
    Simulate(crate::simulate::Simulate),
}

/// Solve positions: here, or on a cluster with --connect.
///
/// What is proved goes into the store as soon as it is known, so that the same command goes on where
/// an earlier one was stopped, in whatever way.
#[derive(Debug, Args)]
pub(crate) struct Solve {
    /// A board, a move list, a game, a file of positions, or - for standard input.
    ///
    /// A board has 64 characters a1, b1, … h8 (X black, O white, - empty), then the side to move. A
    /// move list such as f5d6c3 starts from the start position, which is called start. A game in GGF,
    /// `(;GM[Othello]…;)`, stands for the position after its last move. A file has one position a line,
    /// with or without OBF scores (`BOARD X; F5:+2;`) and bounds of the value (`>= SCORE`, `<= SCORE`), which
    /// are compared with the values found; blank lines and whatever follows % or # are left out. Boards may
    /// also have x or * for black, o or 0 for white and . for empty squares, and blanks anywhere. Where a file
    /// has the name of a position, such as start or f5d6c3, the file is read.
    #[arg(value_name = "POSITION|FILE|-", allow_hyphen_values = true)]
    pub(crate) position: OsString,
    /// Play on a smaller board, such as 6x6: 4 to 8 columns and rows in the middle of the usual board,
    /// whose squares keep their names. A board then has so many characters; with all 64, its walls
    /// as +, it needs no option.
    #[arg(long, value_name = "COLUMNSxROWS", default_value_t = BoardSize::STANDARD)]
    pub(crate) board: BoardSize,
    /// Let the cluster of the coordinator at ADDR solve it: HOST:PORT, several of these with commas
    /// between them, which are tried in turn, or @FILE, a file that says where it is now.
    #[arg(long, value_name = "ADDR", conflicts_with_all = ["threads", "hash", "store", "no_store"])]
    pub(crate) connect: Option<String>,
    #[command(flatten)]
    pub(crate) access: Access,
    /// The question: the value itself between LOWER and UPPER, otherwise on which side it is [default: -64..64].
    /// Of a bound that is known already, from the search of another position, no move need be known: the best
    /// move is then -, null in JSON, and the line is empty. The best move of an answer that is no value is one
    /// that reaches its lower end; another may be better.
    #[arg(long, value_name = "LOWER..UPPER", value_parser = window, allow_hyphen_values = true)]
    pub(crate) window: Option<Window>,
    /// Find the value of every move, not of the best alone; the best come first. The window and the budget
    /// hold for each move.
    #[arg(long)]
    pub(crate) moves: bool,
    #[command(flatten)]
    pub(crate) search: Search,
    #[command(flatten)]
    pub(crate) budget: Budget,
    /// The folder of the proof store [default: $XDG_DATA_HOME/outflank/store, or
    /// ~/.local/share/outflank/store].
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Keep nothing: neither read nor write a proof store.
    #[arg(long, conflicts_with = "store")]
    pub(crate) no_store: bool,
    /// Split the work into jobs of at most about N nodes [default: 10000000000, fewer on many
    /// threads]. Small jobs leave a proof whose parts are quick to check, and take more nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..), conflicts_with = "connect")]
    pub(crate) job_nodes: Option<u64>,
    /// Print one JSON object a line for each position.
    ///
    /// Its `seconds` count from the moment when the position was asked: of a list on a cluster, whose
    /// positions are asked side by side, they include the wait for earlier ones. Where positions of up to 20
    /// empty squares follow each other, which are asked side by side here as well, they count from the
    /// answer before. `unaudited` is there
    /// if claims of workers could not be audited yet, `moves` with --moves: for each move its `lower`,
    /// `upper` and, if it is proved, `value` for the side to move, and its `line`. Then `agrees` speaks
    /// of the scores that are given for moves. `expected`, `expected_lower` and `expected_upper` are the value
    /// and its bounds that the input gives. `best_move` is null where none is known, see --window.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a search may use.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Search {
    /// The number of search threads [default: all processors].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_THREADS)))]
    pub(crate) threads: Option<u32>,
    /// The memory of the hash table, such as 512M or 4G [default: a quarter of the memory, at
    /// most 1G].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) hash: Option<u64>,
}

/// Serve a cluster: hand out jobs to workers, keep what they prove.
#[derive(Debug, Args)]
pub(crate) struct Coordinator {
    /// The folder of the proof store.
    #[arg(long, value_name = "DIR")]
    pub(crate) store: PathBuf,
    /// The address to listen on; port 0 takes a free one. The address is printed.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:6464")]
    pub(crate) listen: String,
    /// The share of the answered jobs of which a second worker solves one claim again, 0 to 1, so that a
    /// worker that is wrong is found out.
    #[arg(long, value_name = "SHARE", default_value = "0.01", value_parser = share)]
    pub(crate) audit_share: f64,
    /// What the choice of those jobs follows from [default: a number that no worker can guess].
    #[arg(long, value_name = "N")]
    pub(crate) audit_seed: Option<u64>,
    /// The file with what workers and clients must show: one token of 16 to 4096 visible ASCII
    /// characters, which may do everything, or lines of a role (worker, client or admin) and a token
    /// [default: all who can connect are admitted].
    #[arg(long, value_name = "FILE", env = "OUTFLANK_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Encrypt all connections: the file with the certificate of this coordinator (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The file with the private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Admit only callers that show a certificate which is signed by one in this file (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_client_ca: Option<PathBuf>,
    /// Listen without encryption on an address that other machines can reach.
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) no_tls: bool,
    /// Also answer HTTP at this address: a page to watch the cluster, its numbers as JSON and for
    /// Prometheus. Whoever reaches it may read them, and change nothing; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    pub(crate) web: Option<String>,
    /// Split the work into jobs of at most about N nodes [default: 10000000000, fewer on many
    /// threads]. Small jobs leave a proof whose parts are quick to check, and take more nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..))]
    pub(crate) job_nodes: Option<u64>,
    /// The threads of this coordinator's own short searches, by which it splits large positions over
    /// many workers, 1 to 64 [default: one for each processor, at most 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) threads: Option<u32>,
}

/// Join the cluster of a coordinator and search for it.
#[derive(Debug, Args)]
pub(crate) struct Worker {
    /// The coordinator's address: HOST:PORT, several of these with commas between them, which are tried in
    /// turn, or @FILE, a file that says where it is now and is read again before each connection.
    #[arg(long, value_name = "ADDR")]
    pub(crate) connect: String,
    #[command(flatten)]
    pub(crate) access: Access,
    #[command(flatten)]
    pub(crate) search: Search,
    /// Answer HTTP at this address: numbers for Prometheus. Whoever reaches it may read them; port 0
    /// takes a free one.
    #[arg(long, value_name = "ADDR")]
    pub(crate) metrics: Option<String>,
}

/// What a coordinator wants to be shown, and how it is known.
#[derive(Clone, Debug, Args)]
pub(crate) struct Access {
    /// With --connect: the file with the token to show, alone: one that the coordinator was started with.
    #[arg(long, value_name = "FILE", env = "OUTFLANK_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// With --connect: encrypt, and trust only a coordinator whose certificate is signed by one in
    /// this file (PEM).
    #[arg(long, value_name = "FILE", env = "OUTFLANK_TLS_CA")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// The name in the coordinator's certificate [default: the host of --connect].
    #[arg(long, value_name = "NAME", env = "OUTFLANK_TLS_NAME")]
    pub(crate) tls_name: Option<String>,
    /// The file with the certificate to show a coordinator that wants one (PEM).
    #[arg(long, value_name = "FILE", env = "OUTFLANK_TLS_CERT")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The file with the private key of this certificate (PEM).
    #[arg(long, value_name = "FILE", env = "OUTFLANK_TLS_KEY")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Show the token without encryption to a coordinator that may be on another machine.
    #[arg(long, env = "OUTFLANK_NO_TLS", value_parser = BoolishValueParser::new())]
    pub(crate) no_tls: bool,
}

/// Look after a proof store.
#[derive(Debug, Args)]
pub(crate) struct Store {
    #[command(subcommand)]
    pub(crate) action: StoreAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreAction {
    /// Say how much is in it.
    Stats {
        /// The folder of the store.
        dir: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Check every record, and the index where the store can be written; change nothing.
    Verify {
        /// The folder of the store.
        dir: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Keep everything good of a damaged store; a sound one stays as it is.
    Repair {
        /// The folder of the store.
        dir: PathBuf,
    },
    /// Print every proved bound as one JSON object a line.
    Export {
        /// The folder of the store.
        dir: PathBuf,
    },
    /// Take over what another store has proved; nothing if the two contradict each other.
    Import {
        /// The folder of the store that gets the proofs; it is made if it is missing.
        dir: PathBuf,
        /// The folder of the other store, which keeps its own.
        from: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

/// Write proofs to files, and check them.
#[derive(Debug, Args)]
pub(crate) struct Proof {
    #[command(subcommand)]
    pub(crate) action: ProofAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProofAction {
    Export(ProofExport),
    /// Verify every inference of a proof and solve a random sample of its searched rows again, with
    /// rules and a search of its own.
    Check(outflank_checker::command::Check),
}

/// Write what the store must know to be sure of some positions, and no more.
#[derive(Debug, Args)]
pub(crate) struct ProofExport {
    /// A board, a move list, a game, a file of positions, or - for standard input, as for solve.
    #[arg(value_name = "POSITION|FILE|-", allow_hyphen_values = true)]
    pub(crate) position: OsString,
    /// The size of the board, such as 6x6, as for solve.
    #[arg(long, value_name = "COLUMNSxROWS", default_value_t = BoardSize::STANDARD)]
    pub(crate) board: BoardSize,
    /// The folder of the proof store, which nobody else may be using but to read it [default: that of solve].
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    pub(crate) out: Option<PathBuf>,
    /// Replace searched rows with more than E empty squares by what follows them, as far as the
    /// store knows it: a larger proof, whose searched rows are easier to check.
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u32).range(..=64))]
    pub(crate) max_leaf: Option<u32>,
}

/// Reads `LOWER..UPPER` or `LOWER,UPPER`.
pub(crate) fn window(text: &str) -> Result<Window, String> {
    let score = |text: &str| text.trim().parse().ok().and_then(Score::new);
    text.split_once("..")
        .or_else(|| text.split_once(','))
        .and_then(|(lower, upper)| Window::new(score(lower)?, score(upper)?))
        .ok_or_else(|| {
            "expected LOWER..UPPER, two even numbers from -64 to 64, LOWER below UPPER".to_owned()
        })
}

/// Returns what reads the name of a file to write in place of standard output, which `-` does not stand for.
pub(crate) fn output_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("expected the name of a file; without this option it goes to standard output"),
        false => Ok(path),
    })
}

/// Reads a number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.01".to_owned())
}

/// Reads a number of bytes with K, M, G or T behind it.
fn size(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[number.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("expected a number and K, M, G or T, such as 512M".to_owned()),
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|count| count.checked_mul(1 << shift))
        .filter(|bytes| (1 << 20..=1 << 46).contains(bytes))
        .ok_or_else(|| "expected a size from 1M to 64T, such as 512M or 4G".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes_have_units_and_limits() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("2097152"), Ok(2 << 20));
        for bad in ["", "M", "12X", "1K", "-4G", "99999999999T", "1.5G"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn windows_are_even_and_ordered() {
        let expected = Window::new(Score::new(-2).unwrap(), Score::new(4).unwrap());
        assert_eq!(window("-2..+4").ok(), expected);
        assert_eq!(window("-2,4").ok(), expected);
        for bad in ["", "4", "4..-2", "2..2", "-66..0", "1..3", "a..b"] {
            assert!(window(bad).is_err(), "{bad}");
        }
    }
}

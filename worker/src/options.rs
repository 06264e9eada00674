//! What an operator can choose about a worker.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use outflank_kernel::Isa;
use outflank_proto::{Access, Connection, InvalidAddress, Reached, Unreached, Way};

use crate::Gauges;

/// How a worker works, and how it presents itself to the coordinator.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of search threads, 1 to [`MOST_THREADS`](outflank_proto::message::MOST_THREADS).
    pub threads: u32,
    /// The size of the hash table that all jobs share, in bytes.
    pub table_bytes: usize,
    /// The instruction set that the engine uses.
    pub isa: Isa,
    /// The name of this machine, at most 256 bytes.
    pub host: String,
    /// The build, as `--version` says it, at most 256 bytes.
    pub build: String,
    /// How long to wait for the coordinator's acknowledgements when leaving.
    pub drain_deadline: Duration,
    /// Where the worker shows what it does.
    pub gauges: Arc<Gauges>,
}

impl Options {
    /// Returns the options of a worker with this number of threads and this size of hash table;
    /// everything else is as usual.
    #[must_use]
    pub fn new(threads: u32, table_bytes: usize, isa: Isa) -> Self {
        Self {
            threads,
            table_bytes,
            isa,
            host: "unnamed".to_owned(),
            build: concat!("outflank ", env!("CARGO_PKG_VERSION")).to_owned(),
            drain_deadline: Duration::from_secs(10),
            gauges: Arc::default(),
        }
    }
}

/// The way to a coordinator.
#[derive(Clone, Debug)]
pub struct Coordinator {
    name: String,
    route: Route,
}

#[derive(Clone, Debug)]
enum Route {
    Searched(Arc<Way>),
    Given(Connection),
}

impl Coordinator {
    /// Returns the way over a connection that exists, to a coordinator in the same process, say.
    #[must_use]
    pub fn over(connection: Connection) -> Self {
        Self { name: "this process".to_owned(), route: Route::Given(connection) }
    }

    /// Returns the way to the coordinator at `address`, which says what [`Way::new`] takes: addresses, or a
    /// file that has them.
    ///
    /// # Errors
    /// [`InvalidAddress`] if it has another form, or `access` has certificates that are none.
    pub fn at(address: &str, access: Access) -> Result<Self, InvalidAddress> {
        let way = Arc::new(Way::new(address, access)?);
        Ok(Self { name: way.whereabouts(), route: Route::Searched(way) })
    }

    /// Returns what a connection that broke with `cause` may lack: words to put behind it, or none.
    pub(crate) fn hint(&self, cause: &str) -> &'static str {
        match &self.route {
            Route::Searched(way) => way.hint(cause),
            Route::Given(_) => "",
        }
    }

    /// Makes a connection, or returns the one that there is.
    pub(crate) async fn connect(&self) -> Result<Reached, Unreached> {
        match &self.route {
            Route::Searched(way) => way.connect().await,
            Route::Given(connection) => {
                Ok(Reached { connection: connection.clone(), address: self.name.clone() })
            }
        }
    }

    /// Notes that no welcome came over the last connection: the coordinator may be elsewhere.
    pub(crate) fn pass_over(&self) {
        if let Route::Searched(way) = &self.route {
            way.pass_over();
        }
    }
}

/// An address as for [`Coordinator::at`], without token and encryption.
impl FromStr for Coordinator {
    type Err = InvalidAddress;

    fn from_str(address: &str) -> Result<Self, InvalidAddress> {
        Self::at(address, Access::default())
    }
}

/// The address, or words for a channel that has none.
impl fmt::Display for Coordinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

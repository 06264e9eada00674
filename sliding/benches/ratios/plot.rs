//! Bar charts of the figures, as SVG.

use std::fmt::Write as _;
use std::path::Path;

use crate::figures::Figures;

const CHARTS: [(&str, &str, &[&str]); 3] = [
    (
        "sliding-throughput.svg",
        "Throughput, ns a query (random boards)",
        &["queen, throughput", "rook, throughput", "bishop, throughput"],
    ),
    (
        "sliding-latency.svg",
        "Latency in a chain of dependent queries, ns",
        &[
            "queen, latency by board",
            "rook, latency by board",
            "bishop, latency by board",
            "queen, latency by square",
            "rook, latency by square",
            "bishop, latency by square",
        ],
    ),
    (
        "sliding-cold.svg",
        "Cold use, ns a slider, by KiB streamed in between",
        &["cold, 0 KiB", "cold, 1 KiB", "cold, 4 KiB", "cold, 16 KiB"],
    ),
];

/// Methods in the charts, and their colours.
const METHODS: [(&str, &str); 6] = [
    ("best as compiled", "#1b7837"),
    ("G4 Hyperbola Quintessence, low latency", "#7fbf7b"),
    ("G5 Hyperbola Quintessence, AVX2", "#d9f0d3"),
    ("G7 PEXT and PDEP", "#e7d4e8"),
    ("G7 PEXT", "#af8dc3"),
    ("G7 fancy magic", "#762a83"),
];

const WIDTH: f64 = 760.0;
const LEFT: f64 = 300.0;
const BAR: f64 = 16.0;

/// Writes the charts into a folder.
pub(crate) fn write(figures: &Figures, folder: &str) -> std::io::Result<()> {
    for (file, title, groups) in CHARTS {
        let svg = chart(figures, title, groups);
        std::fs::write(Path::new(folder).join(file), svg)?;
    }
    Ok(())
}

fn chart(figures: &Figures, title: &str, groups: &[&str]) -> String {
    let shown = |group: &str| {
        let figures = figures.group(group).to_vec();
        METHODS.iter().filter_map(move |&(method, colour)| {
            let figure = figures.iter().find(|(name, _)| *name == method)?;
            Some((method, colour, figure.1.max(0.0)))
        })
    };
    let most = groups.iter().flat_map(|group| shown(group)).map(|(_, _, f)| f).fold(0.1, f64::max);
    let (mut body, mut y) = (String::new(), 50.0);
    for group in groups {
        let _ = writeln!(body, r#"<text x="10" y="{y}" font-weight="bold">{group}</text>"#);
        y += 8.0;
        for (method, colour, figure) in shown(group) {
            let (width, base) = ((WIDTH - LEFT - 60.0) * figure / most, y + 12.0);
            let (end, bar) = (LEFT + width + 5.0, BAR - 2.0);
            let _ = writeln!(body, r#"<text x="20" y="{base}">{method}</text>"#);
            let _ = writeln!(
                body,
                r#"<rect x="{LEFT}" y="{y}" width="{width:.1}" height="{bar}" fill="{colour}"/>"#
            );
            let _ = writeln!(body, r#"<text x="{end:.1}" y="{base}">{figure:.2}</text>"#);
            y += BAR;
        }
        y += 22.0;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{y}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"24\" font-size=\"16\">{title}</text>\n{body}</svg>\n"
    )
}

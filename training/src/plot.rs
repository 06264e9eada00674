//! Small charts as SVG, without any library.

use std::fmt::Write as _;

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// Points from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A chart with lines through points.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// What the horizontal axis shows.
    pub across: String,
    /// What the vertical axis shows.
    pub up: String,
    /// Whether the horizontal axis is logarithmic; its values are above 0 then.
    pub logarithmic: bool,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 56.0;
/// Colours that colour-blind people can tell apart (Okabe and Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

impl Chart {
    /// Returns the chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        text(&mut svg, (WIDTH / 2.0, 24.0), "middle", &self.title);
        text(&mut svg, (WIDTH - MARGIN, HEIGHT - 12.0), "end", &self.across);
        text(&mut svg, (8.0, MARGIN - 14.0), "start", &self.up);
        let places = self.series.iter().flat_map(|series| &series.points);
        let across = Axis::of(places.clone().map(|&(x, _)| self.place(x)));
        let up = Axis::of(places.clone().map(|&(_, y)| y));
        self.grid(&mut svg, &across, &up);
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let mut line = String::new();
            for &(x, y) in &series.points {
                let (x, y) = (across.right(self.place(x)), up.down(y));
                add(&mut line, format_args!("{x:.1},{y:.1} "));
                add(
                    &mut svg,
                    format_args!(
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n"
                    ),
                );
            }
            let line = line.trim_end();
            add(
                &mut svg,
                format_args!(
                    "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n"
                ),
            );
            // The legend is below the axis, where no line comes.
            let (x, y) = (MARGIN + 190.0 * number as f64, HEIGHT - 22.0);
            add(
                &mut svg,
                format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>\n"
                ),
            );
            text(&mut svg, (x + 16.0, y + 10.0), "start", &series.name);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Returns where a value is on the horizontal axis before scaling.
    fn place(&self, x: f64) -> f64 {
        if self.logarithmic { x.log10() } else { x }
    }

    /// Draws lines with their values.
    fn grid(&self, svg: &mut String, across: &Axis, up: &Axis) {
        for value in up.marks() {
            let y = up.down(value);
            let right = WIDTH - MARGIN;
            add(svg, format_args!("<path d=\"M{MARGIN} {y:.1}H{right}\" stroke=\"#dddddd\"/>\n"));
            text(svg, (MARGIN - 6.0, y + 4.0), "end", &format!("{value:.1}"));
        }
        let mut values: Vec<f64> =
            self.series.iter().flat_map(|series| &series.points).map(|&(x, _)| x).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        for value in values {
            let x = across.right(self.place(value));
            text(svg, (x, HEIGHT - MARGIN + 18.0), "middle", &label(value));
        }
    }
}

/// The range of an axis, not empty.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        match () {
            () if low < high => Self { low, high },
            () if low == high => Self { low: low - 1.0, high: low + 1.0 },
            () => Self { low: 0.0, high: 1.0 }, // there are no values
        }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    fn right(&self, value: f64) -> f64 {
        MARGIN + self.share(value) * (WIDTH - 2.0 * MARGIN)
    }

    fn down(&self, value: f64) -> f64 {
        HEIGHT - MARGIN - self.share(value) * (HEIGHT - 2.0 * MARGIN)
    }

    /// Returns six values from one end to the other.
    fn marks(&self) -> impl Iterator<Item = f64> {
        (0..=5).map(|mark| self.low + (self.high - self.low) * f64::from(mark) / 5.0)
    }
}

/// Returns what is written below a value of the horizontal axis; different values look different, unless
/// they are nearly the same.
fn label(value: f64) -> String {
    if value < 10_000.0 {
        value.to_string()
    } else {
        format!("{}k", (value / 100.0).round() / 10.0)
    }
}

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all");
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, content: &str) {
    let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let content = content.replace(char::is_control, " "); // no XML may hold them
    add(
        svg,
        format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>\n"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_its_lines_and_stays_inside() {
        let series = |name: &str, points| Series { name: name.to_owned(), points };
        let chart = Chart {
            title: "a < b".to_owned(),
            across: "positions".to_owned(),
            up: "discs".to_owned(),
            logarithmic: true,
            series: vec![
                series("first", vec![(10.0, 6.0), (1000.0, 5.0)]),
                series("second", vec![(10.0, 5.5)]),
            ],
        };
        let svg = chart.svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b") && svg.contains(">second</text>"));
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("56.0,56.0 584.0,344.0"), "{svg}");
    }

    #[test]
    fn a_chart_without_points_is_a_chart() {
        let series = vec![Series { name: "none".to_owned(), points: Vec::new() }];
        let [title, across, up] = ["\u{1b}[2J > &", "labels", "discs"].map(str::to_owned);
        let svg = Chart { title, across, up, logarithmic: true, series }.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("> [2J &gt; &amp;</text>"), "{svg}");
    }

    #[test]
    fn different_values_are_written_differently() {
        let written = [1.0, 64.0, 1024.0, 1500.0, 2000.0, 9_999.0, 10_000.0, 12_400.0, 794_000.0];
        let expected = ["1", "64", "1024", "1500", "2000", "9999", "10k", "12.4k", "794k"];
        assert_eq!(written.map(label), expected);
    }

    #[test]
    fn one_value_is_no_division_by_nothing() {
        let axis = Axis::of([3.0].into_iter());
        assert!(axis.right(3.0).is_finite() && axis.down(3.0).is_finite());
    }
}

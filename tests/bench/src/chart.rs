//! Progress of the pods over time, as a picture.

use std::error::Error;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

const SIZE: (u32, u32) = (720, 420);
/// Points of each line: more would not be visible, and the file stays small.
const POINTS: usize = 150;
/// One for each contender; its first line is the lightest.
const COLOURS: [RGBColor; 3] = [
    RGBColor(0, 90, 200),
    RGBColor(210, 90, 0),
    RGBColor(110, 110, 110),
];
const STRENGTHS: [f64; 3] = [0.35, 0.65, 1.0];
const WIDTH: u32 = 2;
const TEXT: (&str, u32) = ("sans-serif", 16);

/// Lines in one picture.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its subject.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its subject.
    pub name: String,
    /// Number of the contender, which determines the colour.
    pub contender: usize,
    /// Number of the state, which determines the strength of the colour.
    pub state: usize,
    /// Seconds, and pods.
    pub points: Vec<(f64, u32)>,
}

impl Chart {
    /// The name of its file.
    pub fn file(&self) -> String {
        format!("{}.svg", self.title.replace(' ', "-"))
    }

    /// As an SVG.
    pub fn draw(&self) -> Result<String> {
        let mut svg = String::new();
        let backend = SVGBackend::with_string(&mut svg, SIZE);
        let drawn = self.draw_on(&backend.into_drawing_area());
        drawn.map_err(|error| anyhow!("the chart of {}: {error}", self.title))?;
        Ok(svg)
    }

    fn draw_on(&self, area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Drawn {
        area.fill(&WHITE)?;
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let seconds = all().map(|(at, _)| *at).fold(0.1, f64::max);
        let pods = all().map(|(_, pods)| *pods).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..seconds, 0..pods)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_mesh().x_desc("seconds").y_desc("pods");
        mesh.label_style(TEXT).axis_desc_style(TEXT);
        mesh.x_label_formatter(&|x| format!("{x:.1}")).draw()?;
        for line in &self.lines {
            let style = line.style();
            chart
                .draw_series(LineSeries::new(thinned(&line.points), style))?
                .label(&line.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        let mut legend = chart.configure_series_labels();
        legend.label_font(TEXT);
        legend.position(SeriesLabelPosition::LowerRight);
        legend.background_style(WHITE.mix(0.8)).draw()?;
        area.present()?;
        Ok(())
    }
}

type Drawn = Result<(), Box<dyn Error>>;

impl Line {
    fn style(&self) -> ShapeStyle {
        let colour = COLOURS.get(self.contender).copied().unwrap_or(BLACK);
        let strength = STRENGTHS.get(self.state).copied().unwrap_or(1.0);
        colour.mix(strength).stroke_width(WIDTH)
    }
}

/// The first, the last and some points between.
fn thinned(points: &[(f64, u32)]) -> Vec<(f64, u32)> {
    let step = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.iter().enumerate();
    let kept = kept.filter(|(index, _)| index % step == 0 || *index == last);
    kept.map(|(_, point)| *point).collect()
}

#[cfg(test)]
mod tests {
    use super::{Chart, Line, thinned};

    #[test]
    fn nine_long_lines_are_a_small_picture_on_white() {
        let points: Vec<(f64, u32)> = (0..3000).map(|i| (f64::from(i) / 100.0, i)).collect();
        let line = |index: usize| Line {
            name: format!("operator: {index}"),
            contender: index / 3,
            state: index % 3,
            points: points.clone(),
        };
        let chart = Chart {
            title: "2 pods & more".into(),
            lines: (0..9).map(line).collect(),
        };
        let svg = chart.draw().unwrap();
        assert!(svg.len() < 30_000, "{} bytes", svg.len());
        assert!(svg.contains("#FFFFFF") && svg.contains("operator: 8"));
    }

    #[test]
    fn the_first_and_the_last_point_are_kept() {
        let points: Vec<(f64, u32)> = (0..1000).map(|i| (f64::from(i), i)).collect();
        let kept = thinned(&points);
        assert!(kept.len() < 160);
        assert_eq!((kept[0].1, kept[kept.len() - 1].1), (0, 999));
        assert!(thinned(&[]).is_empty());
    }
}

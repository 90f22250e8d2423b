//! Figures of the run as SVG: queries and processor time against the size, a line for each strategy.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;

use super::rows::{Row, STRATEGIES};

/// What is drawn upwards.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Quantity {
    Queries,
    Seconds,
}

impl Quantity {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Quantity::Queries => "queries",
            Quantity::Seconds => "seconds",
        }
    }

    fn of(self, row: &Row) -> Option<f64> {
        let solved = row.solved.as_ref()?;
        Some(match self {
            Quantity::Queries => solved.queries as f64,
            Quantity::Seconds => row.seconds.max(0.01),
        })
    }
}

/// Colours that can be told apart by most people, and on paper by their lightness.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(0, 114, 178),
    RGBColor(204, 121, 167),
];

/// Draws the rows of one program under one model; a strategy's line ends where it was stopped.
pub(crate) fn draw(
    rows: &[Row],
    (program, model): (&str, &str),
    quantity: Quantity,
    path: &Path,
) -> Result<()> {
    let here: Vec<&Row> = rows.iter().filter(|row| row.program == program && row.model == model).collect();
    let values = || here.iter().filter_map(|row| quantity.of(row));
    let (low, high) = (values().fold(f64::INFINITY, f64::min).min(1.0), values().fold(1.0, f64::max) * 1.5);
    let largest = here.iter().map(|row| row.n).max().unwrap_or(2);
    let area = SVGBackend::new(path, (640, 400)).into_drawing_area();
    area.fill(&WHITE)?;
    let caption = format!("{program}, {}: {}", model.to_uppercase(), quantity.name());
    let mut chart = ChartBuilder::on(&area)
        .caption(caption, ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d(0..largest + 2, (low * 0.8..high).log_scale())?;
    chart.configure_mesh().x_desc("n").y_desc(quantity.name()).light_line_style(WHITE).draw()?;
    for (strategy, colour) in STRATEGIES.into_iter().zip(COLOURS) {
        let mut line: Vec<(usize, f64)> = (here.iter())
            .filter(|row| row.strategy == strategy)
            .filter_map(|row| Some((row.n, quantity.of(row)?)))
            .collect();
        line.sort_by_key(|&(n, _)| n);
        if line.is_empty() {
            continue;
        }
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)).point_size(2))?
            .label(strategy)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}

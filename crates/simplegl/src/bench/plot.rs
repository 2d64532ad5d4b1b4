//! A report as a picture: time against mesh size, and time against frames per switch.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;

use super::{BenchError, Report, Row};

/// Width and height of the picture.
const SIZE: (u32, u32) = (1500, 640);

/// Okabe and Ito's colours, which the colour-blind can tell apart too, without the yellow.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

/// Refuses a file that could not be written at the end.
///
/// # Errors
/// When the ending is unknown or the folder is not there.
pub(super) fn check(path: &Path) -> Result<(), BenchError> {
    let refuse =
        |reason: &str| BenchError::Plot { path: path.to_owned(), reason: reason.to_owned() };
    if !matches!(ending(path).as_str(), "svg" | "png") {
        return Err(refuse("the name must end in .svg or .png"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(refuse("its folder does not exist"));
    }
    Ok(())
}

fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Draws the report.
///
/// # Errors
/// When no two rows form a line, or the file cannot be written.
pub(super) fn write(report: &Report, path: &Path) -> Result<(), BenchError> {
    let refuse = |reason: String| BenchError::Plot { path: path.to_owned(), reason };
    let panels: Vec<Panel> = [by_mesh(report), by_frames_per_switch(report)]
        .into_iter()
        .filter(|panel| !panel.lines.is_empty())
        .collect();
    if panels.is_empty() {
        return Err(refuse(
            "nothing was measured at two sizes; include one of the groups cpu, kernel, ring, mesh"
                .to_owned(),
        ));
    }
    register();
    if ending(path) == "svg" {
        let mut svg = String::new();
        draw(&SVGBackend::with_string(&mut svg, SIZE).into_drawing_area(), &panels)
            .map_err(refuse)?;
        return std::fs::write(path, svg).map_err(|error| refuse(error.to_string()));
    }
    let mut rgb = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
    draw(&BitMapBackend::with_buffer(&mut rgb, SIZE).into_drawing_area(), &panels)
        .map_err(refuse)?;
    let image = image::RgbImage::from_raw(SIZE.0, SIZE.1, rgb).expect("three bytes a pixel");
    image.save(path).map_err(|error| refuse(error.to_string()))
}

/// One pair of axes.
struct Panel {
    title: &'static str,
    x: &'static str,
    lines: Vec<Line>,
}

/// Points of one colour: (x, microseconds).
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

fn by_mesh(report: &Report) -> Panel {
    let rows = report.rows.iter().filter(|row| row.variant.rows_per_thread.is_none());
    let lines = lines(rows, |row| {
        let [width, height] = row.variant.mesh?;
        let mut rest = row.clone();
        rest.variant.mesh = None;
        Some((rest.id(), f64::from(width) * f64::from(height)))
    });
    Panel { title: "time by mesh size", x: "vertices of the mesh", lines }
}

fn by_frames_per_switch(report: &Report) -> Panel {
    let lines = lines(report.rows.iter(), |row| {
        let frames = row.variant.frames_per_switch?;
        let mut rest = row.clone();
        rest.variant.frames_per_switch = None;
        Some((rest.id(), f64::from(frames)))
    });
    Panel { title: "time per frame by frames per switch", x: "frames per switch (K)", lines }
}

/// The lines of at least two points: rows of the same name, by x.
fn lines<'a>(
    rows: impl Iterator<Item = &'a Row>,
    place: impl Fn(&Row) -> Option<(String, f64)>,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let Some((name, x)) = place(row) else { continue };
        let point = (x, row.measured.median_us);
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name, points: vec![point] }),
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let distinct = |line: &Line| {
        line.points.iter().map(|point| point.0.to_bits()).collect::<BTreeSet<_>>().len() > 1
    };
    lines.retain(distinct);
    lines
}

/// The one font, for both backends.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let font = epaint_default_fonts::UBUNTU_LIGHT;
        // It only fails for data that is no font; then the picture has no text, and the table has all numbers.
        let _ = register_font("sans-serif", FontStyle::Normal, font);
    });
}

fn draw<B: DrawingBackend>(area: &DrawingArea<B, Shift>, panels: &[Panel]) -> Result<(), String> {
    let text = |error: DrawingAreaErrorKind<B::ErrorType>| error.to_string();
    area.fill(&WHITE).map_err(text)?;
    for (area, panel) in area.split_evenly((1, panels.len())).iter().zip(panels) {
        draw_panel(area, panel).map_err(text)?;
    }
    area.present().map_err(text)
}

fn draw_panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    panel: &Panel,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) = points()
            .map(of)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        low / 1.5..high * 1.5
    };
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title, ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(80)
        .build_cartesian_2d(
            range(|point| point.0).log_scale(),
            range(|point| point.1).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc(panel.x)
        .y_desc("microseconds (median)")
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 15))
        .x_label_formatter(&|value| counted(*value))
        .y_label_formatter(&|value| counted(*value))
        .light_line_style(RGBColor(235, 235, 235))
        .draw()?;
    for (i, line) in panel.lines.iter().enumerate() {
        let style = COLORS[i % COLORS.len()].stroke_width(if i < COLORS.len() { 2 } else { 1 });
        let filled = i < COLORS.len();
        let marker = ShapeStyle { filled, ..style };
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), style))?
            .label(&line.name)
            .legend(move |(x, y)| {
                EmptyElement::at((x, y))
                    + PathElement::new(vec![(0, 0), (22, 0)], style)
                    + Circle::new((11, 0), 4, marker)
            });
        chart.draw_series(line.points.iter().map(|&point| Circle::new(point, 4, marker)))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(200, 200, 200))
        .label_font(("sans-serif", 14))
        .draw()?;
    Ok(())
}

/// A number on an axis: 500, 20k, 67M.
fn counted(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{}M", value / 1e6),
        value if value >= 1e3 => format!("{}k", value / 1e3),
        value => format!("{value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;
    use crate::bench::Group;

    fn report() -> Report {
        let mut rows = Vec::new();
        for (side, us) in [(256, 12.0), (1024, 90.0), (4096, 1500.0)] {
            rows.push(row(Group::Mesh, "points", side, us * 4.0));
            rows.push(row(Group::Mesh, "raster", side, us));
        }
        for frames in [1, 2, 4, 8] {
            let mut row = row(Group::Ring, "points", 256, 400.0 / f64::from(frames));
            row.variant.frames_per_switch = Some(frames);
            rows.push(row);
        }
        Report { rows, ..Report::default() }
    }

    #[test]
    fn rows_that_differ_in_one_thing_make_a_line() {
        let by_mesh = by_mesh(&report());
        let names: Vec<_> = by_mesh.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["mesh: points", "mesh: raster"]);
        assert_eq!(
            by_mesh.lines[1].points,
            [(65536.0, 12.0), (1_048_576.0, 90.0), (16_777_216.0, 1500.0)]
        );
        let by_frames = by_frames_per_switch(&report());
        assert_eq!(by_frames.lines.len(), 1);
        assert_eq!(by_frames.lines[0].points.len(), 4);
    }

    #[test]
    fn both_kinds_of_file_are_written_with_labels() {
        let folder = tempfile::tempdir().unwrap();
        let (svg, png) = (folder.path().join("a.svg"), folder.path().join("a.PNG"));
        write(&report(), &svg).unwrap();
        let text = std::fs::read_to_string(&svg).unwrap();
        for label in [
            "vertices of the mesh",
            "microseconds (median)",
            "mesh: raster",
            "frames per switch (K)",
        ] {
            assert!(text.contains(label), "{label} is not in the SVG");
        }
        write(&report(), &png).unwrap();
        let image = image::open(&png).unwrap().to_rgb8();
        let blue = image.pixels().filter(|pixel| pixel.0 == [0, 114, 178]).count();
        let dark = image.pixels().filter(|pixel| pixel.0.iter().all(|&c| c < 100)).count();
        assert!(blue > 200 && dark > 500, "{blue} blue and {dark} dark pixels");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_refused_first() {
        assert!(check(Path::new("a.jpg")).is_err());
        assert!(check(Path::new("/nonexistent/a.svg")).is_err());
        assert!(check(Path::new("a.svg")).is_ok());
        assert!(write(&Report::default(), Path::new("a.svg")).is_err());
    }
}

use nalgebra::{Point3, Vector4};

use super::*;

fn eye(camera: &Camera, point: Point3<f32>) -> Point3<f32> {
    camera.view().transform_point(&point)
}

fn ndc(camera: &Camera, aspect: f32, point: Point3<f32>) -> Point3<f32> {
    camera.view_projection(aspect).transform_point(&point)
}

fn close(a: Point3<f32>, b: [f32; 3]) -> bool {
    (a - Point3::from(b)).norm() < 1e-5
}

/// The matrix of `gluPerspective`, from its manual page.
fn glu_perspective(fov_y_deg: f64, aspect: f64, near: f64, far: f64) -> [[f64; 4]; 4] {
    let f = 1.0 / (fov_y_deg.to_radians() / 2.0).tan();
    [
        [f / aspect, 0.0, 0.0, 0.0],
        [0.0, f, 0.0, 0.0],
        [0.0, 0.0, (far + near) / (near - far), 2.0 * far * near / (near - far)],
        [0.0, 0.0, -1.0, 0.0],
    ]
}

#[test]
fn default_projection_is_the_samples() {
    for aspect in [1.0f32, 16.0 / 9.0, 0.5] {
        let ours = Camera::default().projection(aspect);
        let expected = glu_perspective(60.0, f64::from(aspect), 0.1, 10.0);
        for row in 0..4 {
            for column in 0..4 {
                let difference = f64::from(ours[(row, column)]) - expected[row][column];
                assert!(difference.abs() < 1e-6, "[{row}][{column}] is off by {difference}");
            }
        }
    }
}

#[test]
fn default_view_is_the_samples_translation() {
    assert_eq!(
        eye(&Camera::default(), Point3::new(0.5, -0.25, 1.0)),
        Point3::new(0.5, -0.25, -2.0)
    );
}

#[test]
fn orbit_turns_a_fifth_of_a_degree_per_pixel_about_both_axes() {
    let mut camera = Camera::default();
    camera.orbit(100.0, -50.0);
    assert_eq!((camera.rotate_x_deg, camera.rotate_y_deg), (-10.0, 20.0));
    camera.orbit(900.0, 0.0);
    assert!((camera.rotate_y_deg - -160.0).abs() < 1e-4, "wraps: {}", camera.rotate_y_deg);
}

#[test]
fn rotation_order_is_x_after_y_as_in_the_sample() {
    let camera = Camera { rotate_x_deg: 90.0, rotate_y_deg: 90.0, ..Camera::default() };
    // +x goes to -z by y (90), then to +y by x (90).
    assert!(close(eye(&camera, Point3::new(1.0, 0.0, 0.0)), [0.0, 1.0, -3.0]));
}

#[test]
fn zoom_drag_starts_at_the_samples_rate_and_never_passes_the_target() {
    let mut camera = Camera::default();
    camera.zoom_drag(1.0);
    assert!((camera.distance - 2.99).abs() < 1e-4, "{}", camera.distance);
    camera.zoom_drag(1e9);
    assert_eq!(camera.distance, *DISTANCE_RANGE.start());
    camera.zoom_drag(-1e9);
    assert!(DISTANCE_RANGE.contains(&camera.distance));
    camera.zoom_drag(f32::NAN);
    assert!(DISTANCE_RANGE.contains(&camera.distance));
}

#[test]
fn wheel_steps_undo_each_other() {
    let mut camera = Camera::default();
    camera.zoom_wheel(1.0);
    assert!((camera.distance - 2.7).abs() < 1e-5);
    camera.zoom_wheel(-1.0);
    assert!((camera.distance - 3.0).abs() < 1e-5);
}

#[test]
fn panned_point_follows_the_pointer() {
    let (width, height) = (800u32, 600u32);
    let aspect = width as f32 / height as f32;
    for projection in [Projection::Perspective, Projection::Orthographic] {
        let mut camera =
            Camera { rotate_x_deg: 30.0, rotate_y_deg: -70.0, projection, ..Camera::default() };
        let held = camera.target;
        camera.pan(40.0, -30.0, height);
        let seen = ndc(&camera, aspect, held);
        let pixels = (seen.x * width as f32 / 2.0, -seen.y * height as f32 / 2.0);
        assert!((pixels.0 - 40.0).abs() < 1e-2 && (pixels.1 + 30.0).abs() < 1e-2, "{pixels:?}");
    }
}

#[test]
fn presets_look_along_the_axes() {
    let mut camera = Camera::default();
    camera.side();
    assert!(close(eye(&camera, Point3::new(1.0, 0.0, 0.0)), [0.0, 0.0, -2.0]), "+x is nearest");
    camera.top();
    assert!(close(eye(&camera, Point3::new(0.0, 1.0, 0.0)), [0.0, 0.0, -2.0]), "+y is nearest");
    camera.front();
    assert!(close(eye(&camera, Point3::new(0.0, 0.0, 1.0)), [0.0, 0.0, -2.0]), "+z is nearest");
}

#[test]
fn reset_restores_all_but_the_projection() {
    let mut camera = Camera::default();
    camera.orbit(33.0, 44.0);
    camera.pan(5.0, 6.0, 100);
    camera.zoom_wheel(3.0);
    camera.toggle_projection();
    camera.reset();
    assert_eq!(camera, Camera { projection: Projection::Orthographic, ..Camera::default() });
}

#[test]
fn orthographic_keeps_the_size_at_the_target() {
    let mut camera = Camera { rotate_y_deg: 15.0, ..Camera::default() };
    let right_of_target = camera.rotation().inverse() * Vector3::x();
    let point = Point3::from(right_of_target);
    let before = ndc(&camera, 1.25, point);
    camera.toggle_projection();
    let after = ndc(&camera, 1.25, point);
    assert!((before.xy() - after.xy()).norm() < 1e-5, "{before} {after}");
}

#[test]
fn fit_touches_the_border_and_shows_everything() {
    let bounds = Bounds::of_mesh(0.5);
    for projection in [Projection::Perspective, Projection::Orthographic] {
        for aspect in [0.4f32, 1.0, 2.5] {
            let mut camera =
                Camera { rotate_x_deg: 25.0, rotate_y_deg: 40.0, projection, ..Camera::default() };
            camera.pan(500.0, 500.0, 300);
            camera.fit(bounds, aspect);
            let extent = bounds
                .corners()
                .map(|corner| ndc(&camera, aspect, corner))
                .map(|seen| seen.x.abs().max(seen.y.abs()))
                .fold(0.0, f32::max);
            assert!((0.9..=1.0).contains(&extent), "{projection} at {aspect}: {extent}");
        }
    }
}

#[test]
fn no_size_gives_a_matrix_that_is_not_finite() {
    for aspect in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-20, 1e20] {
        for projection in [Projection::Perspective, Projection::Orthographic] {
            let mut camera = Camera { projection, ..Camera::default() };
            camera.fit(Bounds::of_mesh(0.0), aspect);
            camera.pan(1.0, 1.0, 0);
            let matrix = camera.view_projection(aspect);
            assert!(matrix.iter().all(|value| value.is_finite()), "{aspect}: {matrix}");
        }
    }
}

#[test]
fn clip_planes_hold_the_mesh_at_every_distance() {
    for distance in [0.01, 0.1, 3.0, 9.0, 12.0, 1000.0] {
        let camera = Camera { distance, ..Camera::default() };
        let clip = camera.view_projection(1.0) * Vector4::new(0.0, 0.0, 0.0, 1.0);
        assert!(clip.z.abs() < clip.w, "the target is cut off at {distance}");
    }
    assert_eq!(Camera::default().clip_planes(), (NEAR, FAR));
}

#[test]
fn text_reads_back_to_the_same_bits() {
    let camera = Camera {
        rotate_x_deg: 0.1 + 0.2,
        rotate_y_deg: -123.456_78,
        target: Point3::new(1.0 / 3.0, -1e-9, 7.0),
        distance: 2.345_678_9,
        projection: Projection::Orthographic,
    };
    assert_eq!(camera.to_string().parse(), Ok(camera));
    assert_eq!(Camera::default().to_string().parse(), Ok(Camera::default()));
    assert_eq!("distance=3".parse(), Ok(Camera::default()));
}

#[test]
fn text_errors_name_the_word_at_fault() {
    for (text, part) in [
        ("", "empty"),
        ("rotate", "`rotate`"),
        ("rotate=1", "rotate needs 2"),
        ("rotate=1,2,3", "rotate needs 2"),
        ("target=0,NaN,0", "target needs 3"),
        ("distance=inf", "distance needs 1"),
        ("distance=0", "distance 0 is not in"),
        ("projection=fisheye", "`fisheye`"),
        ("zoom=3", "unknown key `zoom`"),
    ] {
        let error = text.parse::<Camera>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
        assert!(error.contains("expected for example"), "{text}: {error}");
    }
}

#[test]
fn inertia_is_off_by_default_and_comes_to_rest() {
    let mut camera = Camera::default();
    let mut inertia = Inertia::default();
    inertia.follow(100.0, 0.0, 0.1);
    inertia.coast(&mut camera, 0.1);
    assert_eq!(camera, Camera::default());

    inertia.enabled = true;
    inertia.follow(100.0, 0.0, 0.1);
    let mut in_one_step = (inertia, camera.clone());
    in_one_step.0.coast(&mut in_one_step.1, 0.2);
    for _ in 0..20 {
        inertia.coast(&mut camera, 0.01);
    }
    assert!(camera.rotate_y_deg > 1.0);
    assert!(
        (camera.rotate_y_deg - in_one_step.1.rotate_y_deg).abs() < 1e-2,
        "frame rate changes the path"
    );
    for _ in 0..1000 {
        inertia.coast(&mut camera, 0.01);
    }
    assert!(!inertia.is_moving());
}

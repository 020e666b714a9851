// The board's frame and what holds its switches upright: millimetres.
//
//   part = "holder"    one printed post that holds a reed switch under the middle of its square (print 64)
//   part = "frame"     the frame, to be cut from wood or looked at
//   part = "assembly"  both, with the top taken off
part = "assembly";

square = 57;
frame_width = 25;
frame_height = 25;
top = 6;          // plywood
gap = 2;          // air under the top
glass = 10;       // length of the switch's glass
glass_diameter = 2.2;
lead_slot = 1.2;
bottom = 3;       // hardboard that carries the holders
$fn = 48;

// A post with a bore for the glass and a slit on each side, through which the two leads go; glued onto the bottom by its foot.
module holder() {
    height = frame_height - bottom - gap;
    difference() {
        union() {
            cylinder(d = 8, h = height);
            translate([-9, -9, 0]) cube([18, 18, 2]);
        }
        // The glass stands with its upper end at the post's end.
        translate([0, 0, height - glass - 2]) cylinder(d = glass_diameter + 0.3, h = glass + 3);
        // The lower lead comes out below the glass, the upper one over the rim.
        translate([0, -lead_slot / 2, height - glass - 4]) cube([20, lead_slot, 3]);
        translate([-20, -lead_slot / 2, height - 2]) cube([20, lead_slot, 4]);
    }
}

module frame() {
    side = 8 * square + 2 * frame_width;
    difference() {
        cube([side, side, frame_height]);
        translate([frame_width, frame_width, -1]) cube([8 * square, 8 * square, frame_height + 2]);
        // A hole for the cable at White's side, and one over the button of the Pico.
        translate([side / 2 - 6, -1, 8]) cube([12, frame_width + 2, 8]);
        translate([side / 2 + 40, frame_width / 2, -1]) cylinder(d = 8, h = frame_height + 2);
        for (x = [12.5, side - 12.5], y = [12.5, side - 12.5])
            translate([x, y, -1]) cylinder(d = 4, h = frame_height + 2);
    }
}

module assembly() {
    frame();
    translate([frame_width, frame_width, 0]) cube([8 * square, 8 * square, bottom]);
    for (rank = [0 : 7], file = [0 : 7])
        translate([frame_width + (file + 0.5) * square, frame_width + (rank + 0.5) * square, bottom]) holder();
}

if (part == "holder") holder();
if (part == "frame") frame();
if (part == "assembly") assembly();

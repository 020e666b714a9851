// The clock's case: a flat top with two buttons, a front that leans back with displays and keys: millimetres.
//
//   part = "case"      open below
//   part = "bottom"    its bottom, with room for the weight
part = "case";

width = 190;
top_depth = 60;   // these four as in templates.py
front = 62;       // height of the front, along its slope
lean = 25;        // degrees
button = 24;
button_at = 65;
display = [31, 15];
display_at = 45;
key = 7;
keys_at = [-24, -8, 8, 24];
wall = 3;
$fn = 48;

height = front * cos(lean);
slope = front * sin(lean);

// The side of the case: front edge at the bottom left.
module side() {
    polygon([[0, 0], [slope, height], [slope + top_depth, height], [slope + top_depth, 0]]);
}

module body(shrink) {
    rotate([90, 0, 90]) translate([0, 0, shrink]) linear_extrude(width - 2 * shrink) offset(delta = -shrink) side();
}

// Puts its children onto the front: x from the middle, y upwards along the slope.
module on_front(x, y) {
    translate([width / 2 + x, y * sin(lean), y * cos(lean)]) rotate([90 - lean, 0, 0]) children();
}

module case() {
    difference() {
        body(0);
        body(wall);
        // Open below.
        translate([wall, wall + 2, -1]) cube([width - 2 * wall, slope + top_depth - 2 * wall - 2, wall + 2]);
        for (x = [-button_at, button_at])
            translate([width / 2 + x, slope + top_depth / 2, height - wall - 1]) cylinder(d = button, h = wall + 2);
        for (x = [-display_at, display_at])
            on_front(x, front * 0.62) translate([0, 0, -10]) linear_extrude(20) square(display, center = true);
        for (x = keys_at)
            on_front(x, 16) translate([0, 0, -10]) cylinder(d = key, h = 20);
        // Two cables at the back: USB to the hub, and the clock's own supply.
        for (x = [width / 2 - 15, width / 2 + 15])
            translate([x, slope + top_depth + 1, 12]) rotate([90, 0, 0]) cylinder(d = 6, h = wall + 2);
    }
}

module bottom() {
    depth = slope + top_depth - 2 * wall - 2.6;
    cube([width - 2 * wall - 0.6, depth, 3]);
    // A frame for 300 g of steel: far from the boards it does no harm.
    translate([20, 12, 3]) difference() { cube([90, 40, 14]); translate([2, 2, -1]) cube([86, 36, 16]); }
}

if (part == "case") case();
if (part == "bottom") bottom();

// A reserve tray of sixteen slots: millimetres. Walls, a floor over the switches, and the room for them below.
slot = 50;
wall = 6;
floor_thickness = 6;
room = 20;        // below the floor: switches and wires
rim = 12;         // above the floor: pieces do not roll off
$fn = 48;

width = 8 * slot + 2 * wall;
depth = 2 * slot + 2 * wall;

difference() {
    cube([width, depth, room + floor_thickness + rim]);
    translate([wall, wall, room + floor_thickness]) cube([8 * slot, 2 * slot, rim + 1]);
    translate([wall, wall, -1]) cube([8 * slot, 2 * slot, room + 1]);
    // The ribbon cable to the board, at the back.
    translate([width / 2 - 10, depth - wall - 1, 4]) cube([20, wall + 2, 6]);
    // Marks of the slots in the floor.
    for (column = [0 : 7], row = [0 : 1])
        translate([wall + (column + 0.5) * slot, wall + (row + 0.5) * slot, room + floor_thickness - 0.6])
            difference() { cylinder(d = 40, h = 1); translate([0, 0, -1]) cylinder(d = 38, h = 3); }
}

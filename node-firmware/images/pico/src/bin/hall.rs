//! `pico-hall`: 64 hall sensors on four multiplexers, which tell how strong a magnet is, and trays on four shift registers.
#![no_std]
#![no_main]

use node_firmware::HallSquares;
use pico::HallBoard;

pico::image!("hall", Board, HallBoard, pico => pico.hall_board(HallSquares::magnitude()));

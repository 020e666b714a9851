//! `pico-hall-polarity`: 64 hall sensors on four multiplexers, which tell a magnet's pole: White's pieces show one, Black's the other, and trays on four shift registers.
#![no_std]
#![no_main]

use node_firmware::HallSquares;
use pico::HallBoard;

pico::image!("hall-polarity", Board, HallBoard, pico => pico.hall_board(HallSquares::polarity()));

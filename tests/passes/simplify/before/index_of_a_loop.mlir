!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %two = "py.constant"() {value = "2", at = "3:4"} : () -> !int
  %four = "py.constant"() {value = "4", at = "4:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %a = "py.binary"(%i, %four) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
    %b = "py.binary"(%a, %two) {operator = "mod", at = "7:4"} : (!int, !int) -> !int
    "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int) -> ()
  }) {step = #builtin.int<4>, variable = "i", at = "5:4"} : (!int, !int) -> ()
  %core = "asc.get_block_idx"() {form = "", at = "10:4"} : () -> !int
  "py.for"(%core, %n) ({
  ^bb0(%j: !int):
    %c = "py.binary"(%j, %four) {operator = "mod", at = "12:4"} : (!int, !int) -> !int
    "asc.printf"(%c) {form = "desc: text, arguments: rest", format = "shown", at = "13:4"} : (!int) -> ()
  }) {step = #builtin.int<8>, variable = "j", at = "11:4"} : (!int, !int) -> ()
}) {sym_name = "index_of_a_loop", parameters = ["n", "m", "x"]} : () -> ()

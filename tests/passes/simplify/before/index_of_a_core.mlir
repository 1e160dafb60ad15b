!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %four = "py.constant"() {value = "4", at = "3:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "4:4"} : () -> !int
  %cores = "asc.get_block_num"() {form = "", at = "4:9"} : () -> !int
  %sum = "py.binary"(%core, %four) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %a = "py.binary"(%sum, %cores) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
  %product = "py.binary"(%core, %cores) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  %b = "py.binary"(%product, %four) {operator = "mod", at = "8:4"} : (!int, !int) -> !int
  "py.for"(%sum, %n, %cores) ({
  ^bb0(%i: !int):
    %d = "py.binary"(%i, %four) {operator = "mod", at = "11:4"} : (!int, !int) -> !int
    "asc.printf"(%d) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "10:4"} : (!int, !int, !int) -> ()
  "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "18:4"} : (!int, !int) -> ()
}) {sym_name = "index_of_a_core", parameters = ["n", "m", "x"]} : () -> ()

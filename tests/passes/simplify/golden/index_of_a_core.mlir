!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %four = "py.constant"() {value = "4", at = "3:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "4:4"} : () -> !int
  %cores = "asc.get_block_num"() {form = "", at = "4:9"} : () -> !int
  %sum = "py.binary"(%core, %four) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %0 = "py.trunc_div"(%sum, %cores) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
  %product = "py.binary"(%core, %cores) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  %1 = "py.trunc_div"(%product, %four) {operator = "mod", at = "8:4"} : (!int, !int) -> !int
  "py.for"(%sum, %n, %cores) ({
  ^bb0(%i: !int):
    %2 = "py.trunc_div"(%i, %four) {operator = "mod", at = "11:4"} : (!int, !int) -> !int
    "asc.printf"(%2) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "10:4"} : (!int, !int, !int) -> ()
  "asc.printf"(%0, %1) {form = "desc: text, arguments: rest", format = "shown", at = "18:4"} : (!int, !int) -> ()
}) {sym_name = "index_of_a_core", parameters = ["n", "m", "x"]} : () -> ()

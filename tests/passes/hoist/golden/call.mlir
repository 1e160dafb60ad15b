!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "4:4", variable = "core"} : () -> !int
  %cores = "asc.get_block_num"() {form = "", at = "5:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %a = "py.binary"(%i, %cores) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
    %b = "py.binary"(%a, %core) {operator = "add", at = "7:4"} : (!int, !int) -> !int
    "asc.printf"(%b) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "call", parameters = ["n", "m", "x"]} : () -> ()

!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %z = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %a = "py.binary"(%n, %m) {operator = "mul", at = "3:4", variable = "size"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "4:4"} : (!int, !int) -> ()
  "py.for"(%z, %n) ({
  ^bb0(%i: !int):
    "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "9:4"} : (!int, !int) -> ()
  %t = "py.compare"(%n, %m) {operator = "lt", at = "10:4"} : (!int, !int) -> !bool
  "py.if"(%t) ({
    "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "13:4"} : (!int, !int) -> ()
  }, {
    "asc.printf"(%a) {form = "desc: text, arguments: rest", format = "shown", at = "16:4"} : (!int) -> ()
  }) {at = "17:4"} : (!bool) -> ()
}) {sym_name = "from_outside_into_loops_and_branches", parameters = ["n", "m", "x"]} : () -> ()

!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %s = "py.binary"(%n, %m) {operator = "add", at = "2:4"} : (!int, !int) -> !int
  %z = "py.constant"() {value = "0", at = "3:4"} : () -> !int
  "py.for"(%z, %s) ({
  ^bb0(%i: !int):
    "asc.printf"(%i) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "7:4"} : (!int, !int) -> ()
  %t = "py.binary"(%n, %m) {operator = "add", at = "8:4"} : (!int, !int) -> !int
  "py.for"(%z, %t) ({
  ^bb0(%j: !int):
    "asc.printf"(%j) {form = "desc: text, arguments: rest", format = "shown", at = "11:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "j", at = "12:4"} : (!int, !int) -> ()
}) {sym_name = "bounds_of_two_loops", parameters = ["n", "m", "x"]} : () -> ()

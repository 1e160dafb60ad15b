!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    "py.for"(%zero, %m) ({
    ^bb0(%j: !int):
      %a = "py.binary"(%n, %m) {operator = "mul", at = "5:4"} : (!int, !int) -> !int
      %b = "py.binary"(%i, %m) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
      %c = "py.binary"(%a, %b) {operator = "add", at = "7:4"} : (!int, !int) -> !int
      %d = "py.binary"(%c, %j) {operator = "add", at = "8:4"} : (!int, !int) -> !int
      "asc.printf"(%d) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int) -> ()
    }) {step = #builtin.int<1>, variable = "j", at = "4:4"} : (!int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "out_of_two_loops", parameters = ["n", "m", "x"]} : () -> ()

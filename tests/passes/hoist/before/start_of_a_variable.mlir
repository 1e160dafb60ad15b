!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %a = "py.binary"(%n, %m) {operator = "mul", at = "4:4", variable = "size"} : (!int, !int) -> !int
    %v = "py.variable"(%a) {at = "5:4", variable = "size"} : (!int) -> !py.cell<!int>
    "py.for"(%zero, %m) ({
    ^bb0(%j: !int):
      %l = "py.load"(%v) {at = "7:4"} : (!py.cell<!int>) -> !int
      %s = "py.binary"(%l, %j) {operator = "add", at = "8:4"} : (!int, !int) -> !int
      "py.store"(%v, %s) {at = "9:4"} : (!py.cell<!int>, !int) -> ()
    }) {step = #builtin.int<1>, variable = "j", at = "6:4"} : (!int, !int) -> ()
    %r = "py.load"(%v) {at = "11:4"} : (!py.cell<!int>) -> !int
    "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "start_of_a_variable", parameters = ["n", "m", "x"]} : () -> ()

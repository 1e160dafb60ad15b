!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %c = "py.compare"(%m, %zero) {operator = "eq", at = "4:4"} : (!int, !int) -> !bool
    "py.if"(%c) ({
      "asc.trap"() {form = "", reason = "division by zero", at = "6:4"} : () -> ()
    }, {
    ^bb0:
    }) {at = "5:4"} : (!bool) -> ()
    %a = "py.binary"(%n, %m) {operator = "floordiv", at = "10:4"} : (!int, !int) -> !int
    %b = "py.binary"(%n, %m) {operator = "mod", at = "11:4"} : (!int, !int) -> !int
    %d = "py.cast"(%x) {at = "12:4"} : (!float) -> !int
    %e = "py.binary"(%d, %n) {operator = "mul", at = "13:4"} : (!int, !int) -> !int
    "asc.printf"(%a, %b, %e) {form = "desc: text, arguments: rest", format = "shown", at = "14:4"} : (!int, !int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_what_could_stop_the_core", parameters = ["n", "m", "x"]} : () -> ()

!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %c = "py.compare"(%i, %m) {operator = "lt", at = "4:4"} : (!int, !int) -> !bool
    "py.if"(%c) ({
      %a = "py.binary"(%n, %m) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
      "asc.printf"(%a) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int) -> ()
    }, {
      ^bb0:
    }) {at = "5:4"} : (!bool) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_branches", parameters = ["n", "m", "x"]} : () -> ()

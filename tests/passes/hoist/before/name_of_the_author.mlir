!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %four = "py.constant"() {value = "4", at = "3:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %a = "py.binary"(%n, %four) {operator = "mul", at = "5:4", variable = "size"} : (!int, !int) -> !int
    %b = "py.binary"(%a, %i) {operator = "add", at = "6:4"} : (!int, !int) -> !int
    "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!int, !int) -> ()
}) {sym_name = "name_of_the_author", parameters = ["n", "m", "x"]} : () -> ()

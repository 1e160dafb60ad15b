!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %huge = "py.constant"() {value = "0x1.93e5939a08ceap+99", at = "2:4"} : () -> !float
  %never = "py.constant"() {value = "nan", at = "3:4"} : () -> !float
  %a = "py.cast"(%huge) {at = "4:4"} : (!float) -> !int
  %b = "py.cast"(%never) {at = "5:4"} : (!float) -> !int
  "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_int_of_what_no_int_holds", parameters = ["n", "m", "x"]} : () -> ()
